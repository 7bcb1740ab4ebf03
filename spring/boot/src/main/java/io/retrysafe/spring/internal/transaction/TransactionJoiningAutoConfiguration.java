// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.transaction;

import io.retrysafe.spring.internal.startup.StartupException;
import io.retrysafe.spring.internal.store.StoreAutoConfiguration;
import io.retrysafe.store.jdbc.JdbcStore;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;

/** Transactions that operations can be completed in, where database and store are one. */
@AutoConfiguration(
    after = StoreAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
      "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration"
    })
@ConditionalOnClass({JdbcStore.class, DataSourceUtils.class, PlatformTransactionManager.class})
@ConditionalOnBean(JdbcStore.class)
@ConditionalOnSingleCandidate(DataSource.class)
public final class TransactionJoiningAutoConfiguration {

  @Bean
  @ConditionalOnSingleCandidate(PlatformTransactionManager.class)
  TransactionJoiner retrysafeJoining(
      JdbcStore store, DataSource source, PlatformTransactionManager transactions) {
    return new TransactionJoiner(store, source, transactions);
  }

  /** Returns what begins transactions, or says why there is none. */
  public static TransactionJoiner required(ObjectProvider<TransactionJoiner> joining) {
    TransactionJoiner found = joining.getIfAvailable();
    if (found == null) {
      throw new StartupException(
          "@Idempotent(transaction = JOIN) needs a store in the application's database and one"
              + " transaction manager for it.",
          "Set retrysafe.store=jdbc and give the application a single DataSource and transaction"
              + " manager, or use transaction = SEPARATE.");
    }
    return found;
  }
}
