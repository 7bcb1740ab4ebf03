// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.transaction;

import io.retrysafe.Outcome;
import io.retrysafe.http.HandlerTransaction;
import io.retrysafe.store.Owner;
import io.retrysafe.store.jdbc.JoinedTransaction;
import java.sql.SQLException;
import java.time.Duration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;

/**
 * A transaction of the application's that records its operation's answer before it commits. Bound
 * to the thread that began it, where it has to end too.
 */
public final class SpringTransaction implements HandlerTransaction {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.spring");

  private final JoinedTransaction joined;
  private final PlatformTransactionManager transactions;
  private final TransactionStatus status;

  /**
   * @param joined not closed here: the transaction is the application's, and ends in its own way
   */
  SpringTransaction(
      JoinedTransaction joined, PlatformTransactionManager transactions, TransactionStatus status) {
    this.joined = joined;
    this.transactions = transactions;
    this.status = status;
  }

  @Override
  public boolean settle(Owner owner, Outcome outcome, Duration retention) {
    if (status.isCompleted()) {
      throw new IllegalStateException("the transaction has ended before its answer was recorded");
    }
    if (status.isRollbackOnly()) {
      rollBack();
      throw new UnexpectedRollbackException("the transaction was marked as rollback-only");
    }
    if (!isCompleted(owner, outcome, retention)) {
      return false;
    }
    try {
      transactions.commit(status);
      return true;
    } catch (UnexpectedRollbackException e) {
      throw e;
    } catch (RuntimeException e) {
      // The commit may have happened all the same.
      if (joined.isCommitted(owner)) {
        return true;
      }
      rollBack();
      throw e;
    }
  }

  private boolean isCompleted(Owner owner, Outcome outcome, Duration retention) {
    try {
      boolean isOwners = joined.complete(owner, outcome, retention);
      if (!isOwners) {
        rollBack();
      }
      return isOwners;
    } catch (SQLException e) {
      rollBack();
      throw new IllegalStateException("the transaction was rolled back: " + e.getMessage(), e);
    }
  }

  @Override
  public void rollBack() {
    if (status.isCompleted()) {
      return;
    }
    try {
      transactions.rollback(status);
    } catch (TransactionException e) {
      LOG.log(System.Logger.Level.DEBUG, "a transaction could not be rolled back", e);
    }
  }
}
