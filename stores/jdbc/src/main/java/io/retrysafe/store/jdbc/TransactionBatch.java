// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.StoreException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Many calls as one transaction, for databases without arrays: one commit. Completions are one
 * batch of the driver, releases another; the others go one by one, because each has a row to answer
 * with.
 */
final class TransactionBatch implements BatchStatements {
  private final RowStatements rowStatements;

  TransactionBatch(RowStatements rowStatements) {
    this.rowStatements = rowStatements;
  }

  @Override
  public void run(Session session, List<PendingRequest<?>> calls) throws SQLException {
    try {
      run(session, calls, true);
    } catch (SQLException e) {
      if (!SqlErrorKind.isOfOneCall(e, session.dialect())) {
        throw e;
      }
      run(session, calls, false);
    }
  }

  /**
   * @param grouped whether calls of a kind share a batch of the driver, which does not tell which
   *     of them it was that failed
   */
  private void run(Session session, List<PendingRequest<?>> calls, boolean grouped)
      throws SQLException {
    List<PendingRequest<Boolean>> completions =
        grouped ? of(calls, CompleteRequest.class) : List.of();
    List<PendingRequest<Boolean>> releases = grouped ? of(calls, ReleaseRequest.class) : List.of();
    List<Runnable> replies = new ArrayList<>();
    session.atomically(
        own -> {
          for (PendingRequest<?> call : calls) {
            boolean isGrouped =
                (!completions.isEmpty() && call.question() instanceof CompleteRequest)
                    || (!releases.isEmpty() && call.question() instanceof ReleaseRequest);
            if (!isGrouped) {
              replies.add(asked(own, call, calls.size()));
            }
          }
          if (!completions.isEmpty()) {
            replies.add(
                updated(
                    completions,
                    rowStatements.completeAll(own, asked(completions, CompleteRequest.class))));
          }
          if (!releases.isEmpty()) {
            replies.add(
                updated(
                    releases,
                    rowStatements.releaseAll(own, asked(releases, ReleaseRequest.class))));
          }
          return calls.size();
        });
    // Only now is it durable.
    replies.forEach(Runnable::run);
  }

  /** Returns the calls of a kind, none if there is only one. */
  @SuppressWarnings("unchecked") // they wait for true or false
  private static List<PendingRequest<Boolean>> of(List<PendingRequest<?>> calls, Class<?> kind) {
    List<PendingRequest<Boolean>> found = new ArrayList<>();
    for (PendingRequest<?> call : calls) {
      if (kind.isInstance(call.question())) {
        found.add((PendingRequest<Boolean>) call);
      }
    }
    return found.size() < 2 ? List.of() : found;
  }

  private static <Q> List<Q> asked(List<PendingRequest<Boolean>> calls, Class<Q> kind) {
    return calls.stream().map(call -> kind.cast(call.question())).toList();
  }

  private static Runnable updated(
      List<PendingRequest<Boolean>> calls, List<AttemptResult<Boolean>> replies) {
    return () -> {
      for (int i = 0; i < calls.size(); i++) {
        calls.get(i).reply(replies.get(i));
      }
    };
  }

  /** Asks one question; where it fails by itself the transaction is as it was before. */
  private static <T> Runnable asked(Session session, PendingRequest<T> call, int among)
      throws SQLException {
    try {
      AttemptResult<T> reply = call.question().ask(session, among);
      return () -> call.reply(reply);
    } catch (SQLException e) {
      if (!SqlErrorKind.isOfOneCall(e, session.dialect())) {
        throw e;
      }
      return () -> call.reply(new AttemptResult.Refused<>(e));
    } catch (StoreException | IllegalArgumentException e) {
      return () -> call.reply(new AttemptResult.Failed<>(e));
    }
  }
}
