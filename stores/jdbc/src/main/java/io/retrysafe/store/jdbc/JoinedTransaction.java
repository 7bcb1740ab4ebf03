// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Outcome;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.jdbc.Request.CompleteRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The caller's transaction, in which an operation's effect and its completion are one: both commit
 * or neither does. The claim is committed before, on a connection of the store's own.
 *
 * <p>After a crash the entry is unsettled exactly if the effect is not there. So the recovery of
 * such operations is {@code rerun}, and a failure may release the key.
 *
 * <p>The transaction must be READ COMMITTED on PostgreSQL, and on MariaDB with {@code
 * innodb_snapshot_isolation}: at a higher isolation the completion fails once the lease was
 * renewed, because the entry's row has changed since the transaction's snapshot.
 *
 * <p>The engine settles through it with {@code operation.settleWith(joined::settle)}. Whoever has
 * the transaction committed by somebody else uses {@link #complete} and, where the commit got no
 * answer, {@link #isCommitted}.
 */
public final class JoinedTransaction implements AutoCloseable {
  private final StoreContext context;
  private final Connection connection;

  JoinedTransaction(StoreContext context, Connection connection) throws SQLException {
    this.context = context;
    this.connection = connection;
    IsolationCheck.check(connection, context.dialect());
    connection.setAutoCommit(false);
  }

  /**
   * Settles the owner's entry and commits.
   *
   * @return whether both are done; false if the entry is not the owner's any more, and then the
   *     transaction is rolled back
   * @throws IllegalStateException if the transaction could not be committed and is rolled back
   * @throws NoAnswerException if nobody knows whether it is committed
   */
  public boolean settle(Owner owner, Outcome outcome, Duration retention) {
    boolean isCompleted = false;
    try {
      isCompleted = complete(owner, outcome, retention);
      if (isCompleted) {
        connection.commit();
      }
      return isCompleted;
    } catch (SQLException e) {
      boolean isDoubtful =
          isCompleted && SqlErrorKind.of(e, context.dialect()) == SqlErrorKind.UNKNOWN;
      if (isDoubtful && isCommitted(owner)) {
        return true;
      }
      rollBack(e);
      throw new IllegalStateException(
          "the transaction was rolled back: " + e.getMessage() + IsolationCheck.reason(e), e);
    }
  }

  /**
   * Settles the owner's entry in the transaction, which the caller commits. If the entry is not the
   * owner's any more the transaction is rolled back.
   *
   * @return whether the entry is the owner's
   * @throws io.retrysafe.store.RefusedCallException if the outcome is larger than the store's
   *     profile says
   */
  public boolean complete(Owner owner, Outcome outcome, Duration retention) throws SQLException {
    context.checkSize(owner.key(), outcome);
    boolean isOwners =
        context
            .entries()
            .completeJoined(
                context.guest(connection), new CompleteRequest(owner, outcome, retention));
    if (!isOwners) {
      connection.rollback();
    }
    return isOwners;
  }

  /**
   * Returns whether a commit that got no answer happened: reads the entry under a row lock, which
   * waits for the end of that transaction.
   *
   * @throws NoAnswerException if that cannot be found out either
   */
  public boolean isCommitted(Owner owner) {
    return context.retryLoop().run(session -> context.entries().isSettled(session, owner));
  }

  /** Rolls back what was not committed; the connection stays open. */
  @Override
  public void close() throws SQLException {
    if (!connection.isClosed()) {
      connection.rollback();
    }
  }

  private void rollBack(SQLException cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      // A lost connection rolls back by itself.
      cause.addSuppressed(e);
    }
  }
}
