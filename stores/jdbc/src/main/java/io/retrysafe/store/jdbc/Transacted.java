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
final class Transacted implements Batching {
  private final Questions questions;

  Transacted(Questions questions) {
    this.questions = questions;
  }

  @Override
  public void run(Session session, List<Call<?>> calls) throws SQLException {
    try {
      run(session, calls, true);
    } catch (SQLException e) {
      if (!Trouble.isOfOneCall(e, session.dialect())) {
        throw e;
      }
      run(session, calls, false);
    }
  }

  /**
   * @param grouped whether calls of a kind share a batch of the driver, which does not tell which
   *     of them it was that failed
   */
  private void run(Session session, List<Call<?>> calls, boolean grouped) throws SQLException {
    List<Call<Boolean>> completions = grouped ? of(calls, Completing.class) : List.of();
    List<Call<Boolean>> releases = grouped ? of(calls, Releasing.class) : List.of();
    List<Runnable> replies = new ArrayList<>();
    session.atomically(
        own -> {
          for (Call<?> call : calls) {
            boolean isGrouped =
                (!completions.isEmpty() && call.question() instanceof Completing)
                    || (!releases.isEmpty() && call.question() instanceof Releasing);
            if (!isGrouped) {
              replies.add(asked(own, call, calls.size()));
            }
          }
          if (!completions.isEmpty()) {
            replies.add(
                updated(
                    completions, questions.completeAll(own, asked(completions, Completing.class))));
          }
          if (!releases.isEmpty()) {
            replies.add(
                updated(releases, questions.releaseAll(own, asked(releases, Releasing.class))));
          }
          return calls.size();
        });
    // Only now is it durable.
    replies.forEach(Runnable::run);
  }

  /** Returns the calls of a kind, none if there is only one. */
  @SuppressWarnings("unchecked") // they wait for true or false
  private static List<Call<Boolean>> of(List<Call<?>> calls, Class<?> kind) {
    List<Call<Boolean>> found = new ArrayList<>();
    for (Call<?> call : calls) {
      if (kind.isInstance(call.question())) {
        found.add((Call<Boolean>) call);
      }
    }
    return found.size() < 2 ? List.of() : found;
  }

  private static <Q> List<Q> asked(List<Call<Boolean>> calls, Class<Q> kind) {
    return calls.stream().map(call -> kind.cast(call.question())).toList();
  }

  private static Runnable updated(List<Call<Boolean>> calls, List<Reply<Boolean>> replies) {
    return () -> {
      for (int i = 0; i < calls.size(); i++) {
        calls.get(i).reply(replies.get(i));
      }
    };
  }

  /** Asks one question; where it fails by itself the transaction is as it was before. */
  private static <T> Runnable asked(Session session, Call<T> call, int among) throws SQLException {
    try {
      Reply<T> reply = call.question().ask(session, among);
      return () -> call.reply(reply);
    } catch (SQLException e) {
      if (!Trouble.isOfOneCall(e, session.dialect())) {
        throw e;
      }
      return () -> call.reply(new Reply.Refused<>(e));
    } catch (StoreException | IllegalArgumentException e) {
      return () -> call.reply(new Reply.Failed<>(e));
    }
  }
}
