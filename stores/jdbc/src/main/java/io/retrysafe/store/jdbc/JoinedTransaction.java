// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.ClaimLostException;
import io.retrysafe.Codec;
import io.retrysafe.Ending;
import io.retrysafe.Operation;
import io.retrysafe.Outcome;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The caller's transaction, in which an operation's effect and its completion are one: both commit
 * or neither does. The claim was committed before, on a connection of the store's own.
 *
 * <p>After a crash the entry is unsettled exactly if the effect is not there, so the recovery of
 * such operations is {@code rerun}, and a failure may release the key.
 */
public final class JoinedTransaction {
  private final Parts parts;
  private final Connection connection;

  JoinedTransaction(Parts parts, Connection connection) {
    this.parts = parts;
    this.connection = connection;
  }

  /** What an operation does in the transaction. */
  @FunctionalInterface
  public interface Work<T, X extends Exception> {
    T run() throws X, SQLException;
  }

  /**
   * Runs {@code work}, settles {@code operation} with its result and commits. If the work throws,
   * or the operation is somebody else's by now, the transaction is rolled back.
   *
   * @return the work's result, or the recorded one where somebody else was faster
   * @throws ClaimLostException if somebody else is running the operation
   * @throws io.retrysafe.StoreUnavailableException if nobody knows whether the commit happened
   */
  public <T, X extends Exception> T run(Operation operation, Codec<T> codec, Work<T, X> work)
      throws X, SQLException {
    connection.setAutoCommit(false);
    Ending ending;
    T result;
    try {
      result = work.run();
      ending = operation.complete(Outcome.of(codec.encode(result)), this::settle);
    } catch (Throwable e) {
      rollBack(e);
      throw e;
    }
    if (ending instanceof Ending.Superseded superseded && superseded.outcome().isKept()) {
      return codec.decode(superseded.outcome().body());
    }
    if (!(ending instanceof Ending.Recorded)) {
      throw new ClaimLostException(operation.key());
    }
    return result;
  }

  /**
   * Settles the owner's entry in the transaction, which the caller commits. If the entry is not the
   * owner's any more the transaction is rolled back.
   *
   * @return whether the entry is the owner's
   */
  public boolean complete(Owner owner, Outcome outcome, Duration retention) throws SQLException {
    boolean mine =
        parts.questions().completeJoined(parts.guest(connection), owner, outcome, retention);
    if (!mine) {
      connection.rollback();
    }
    return mine;
  }

  /**
   * Returns whether a commit that got no answer happened: reads the entry under a row lock, which
   * waits for the end of that transaction.
   *
   * @throws NoAnswerException if that cannot be found out either
   */
  public boolean isCommitted(Owner owner) {
    return parts.asking().plain(session -> parts.questions().verdict(session, owner));
  }

  private boolean settle(Owner owner, Outcome outcome, Duration retention) {
    boolean isCompleted = false;
    try {
      isCompleted = complete(owner, outcome, retention);
      if (isCompleted) {
        connection.commit();
      }
      return isCompleted;
    } catch (SQLException e) {
      boolean isDoubtful = isCompleted && Trouble.of(e, parts.dialect()) == Trouble.UNKNOWN;
      if (isDoubtful && isCommitted(owner)) {
        return true;
      }
      throw new IllegalStateException("the transaction was rolled back: " + e.getMessage(), e);
    }
  }

  private void rollBack(Throwable cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      // A lost connection rolls back by itself.
      cause.addSuppressed(e);
    }
  }
}
