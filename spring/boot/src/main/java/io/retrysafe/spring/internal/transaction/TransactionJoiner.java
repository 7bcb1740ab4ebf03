// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.transaction;

import io.retrysafe.spring.internal.startup.StartupException;
import io.retrysafe.store.jdbc.JdbcStore;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** The start of transactions of the application in which operations are completed too. */
public final class TransactionJoiner {
  private final JdbcStore store;
  private final DataSource source;
  private final PlatformTransactionManager transactions;

  TransactionJoiner(JdbcStore store, DataSource source, PlatformTransactionManager transactions) {
    this.store = store;
    this.source = source;
    this.transactions = transactions;
  }

  /** Begins a transaction; fails where the caller has one already, which could end otherwise. */
  public SpringTransaction begin(String what) {
    NoActiveTransaction.require(what);
    TransactionStatus status =
        transactions.getTransaction(
            new DefaultTransactionDefinition(DefaultTransactionDefinition.PROPAGATION_REQUIRED));
    try {
      Connection connection = DataSourceUtils.getConnection(source);
      if (!DataSourceUtils.isConnectionTransactional(connection, source)) {
        DataSourceUtils.releaseConnection(connection, source);
        throw new IllegalStateException(
            "the transactions of "
                + transactions
                + " are not on the DataSource that operations are recorded in");
      }
      return new SpringTransaction(store.joining(connection), transactions, status);
    } catch (SQLException e) {
      transactions.rollback(status);
      throw new IllegalStateException("the transaction cannot be joined: " + e.getMessage(), e);
    } catch (RuntimeException e) {
      transactions.rollback(status);
      throw e;
    }
  }

  /** Begins a transaction and rolls it back, so that a wrong configuration fails at startup. */
  public void check() {
    try {
      begin("the start").rollBack();
    } catch (IllegalStateException e) {
      throw new StartupException(
          "@Idempotent(transaction = JOIN) cannot be used: " + e.getMessage() + ".",
          "Use a transaction manager on the DataSource of the store, and only one, with READ COMMITTED"
              + " as the isolation of its transactions.",
          e);
    }
  }
}
