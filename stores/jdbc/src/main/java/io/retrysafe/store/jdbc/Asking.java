// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How questions get their answers: through a lane, where they share a statement with others, and
 * alone where that failed; again while they are undecided, until the time is over.
 */
final class Asking {
  private static final int AT_ONCE = 2;
  private static final long FIRST_PAUSE = 200_000;
  private static final long LONGEST_PAUSE = 6_000_000;

  /** How long a claim waits for somebody's transaction before it is told that there is one. */
  private static final Duration LONGEST_CONTENTION = Duration.ofMillis(500);

  private final Sessions sessions;
  private final List<Lane> lanes;
  private final @Nullable Arrayed arrayed;
  private final Dialect dialect;
  private final Duration timeout;
  private final Watch watch;

  Asking(
      Sessions sessions,
      List<Lane> lanes,
      @Nullable Arrayed arrayed,
      Dialect dialect,
      Duration timeout) {
    this.sessions = sessions;
    this.lanes = lanes;
    this.arrayed = arrayed;
    this.dialect = dialect;
    this.timeout = timeout;
    this.watch = new Watch(lanes, timeout);
  }

  /** Sends a question through its lane, without waiting. */
  <T> Call<T> send(RowId id, Call.Question<T> question) {
    Call<T> call = new Call<>(id, question);
    lane(id, question).submit(call);
    return call;
  }

  /** Returns the answer to a question about the row {@code id}. */
  <T> T ask(RowId id, Call.Question<T> question, @Nullable Supplier<T> whenInUse) {
    return await(put(id, question), whenInUse);
  }

  /**
   * Asks as {@link #ask} does, and holds no thread: only what the first reply does not decide goes
   * on in {@code blocking}.
   */
  <T> CompletionStage<T> askLater(
      RowId id, Call.Question<T> question, @Nullable Supplier<T> whenInUse, Executor blocking) {
    long deadline = deadline();
    CompletableFuture<T> answer = new CompletableFuture<>();
    Consumer<Call<T>> told =
        call -> {
          if (call.reply() instanceof Reply.Answered<T> answered) {
            answer.complete(answered.value());
          } else {
            complete(answer, blocking, () -> await(call, deadline, whenInUse));
          }
        };
    watch.start();
    lane(id, question).submit(new Call<>(id, question, deadline, told));
    return answer;
  }

  private static <T> void complete(
      CompletableFuture<T> future, Executor executor, Supplier<T> call) {
    Runnable work =
        () -> {
          try {
            future.complete(call.get());
          } catch (Throwable e) {
            future.completeExceptionally(e);
          }
        };
    try {
      executor.execute(work);
    } catch (Throwable e) {
      // The lane that tells of a reply must not fail with its caller, nor without a thread for it.
      future.completeExceptionally(e);
    }
  }

  /**
   * Returns the lane of a question. A key keeps to one lane, so that its calls do not wait for each
   * other in the database; claims of new keys have nobody to wait for.
   */
  private Lane lane(RowId id, Call.Question<?> question) {
    int forClaims = lanes.size() / 2;
    if (forClaims == 0 || arrayed == null || !arrayed.isFresh()) {
      return lanes.get(id.lane(lanes.size()));
    }
    return question instanceof Claiming
        ? lanes.get(id.lane(forClaims))
        : lanes.get(forClaims + id.lane(lanes.size() - forClaims));
  }

  private <T> Call<T> put(RowId id, Call.Question<T> question) {
    Call<T> call = new Call<>(id, question);
    lane(id, question).put(call);
    return call;
  }

  /**
   * Returns the answer to a question that was sent.
   *
   * @param whenInUse what to answer when the entry stays in use by somebody's transaction; null for
   *     "no answer"
   */
  <T> T await(Call<T> sent, @Nullable Supplier<T> whenInUse) {
    return await(sent, deadline(), whenInUse);
  }

  private <T> T await(Call<T> sent, long deadline, @Nullable Supplier<T> whenInUse) {
    long patience = whenInUse == null ? deadline : patience(deadline);
    Reply<T> reply = sent.await(deadline);
    for (int tries = 1; true; tries++) {
      if (reply instanceof Reply.Answered<T> answered) {
        return answered.value();
      }
      if (reply instanceof Reply.Failed<T>) {
        // In a batch the fault may be another call's.
        return alone(session -> session.alone(sent.question()::ask), deadline, whenInUse);
      }
      boolean inUse = !(reply instanceof Reply.None<T>);
      if (isOver(inUse ? patience : deadline)) {
        return gaveUp(inUse, null, whenInUse);
      }
      pause(tries);
      reply = put(sent.id(), sent.question()).await(deadline);
    }
  }

  /** Returns the answer to a question that goes out alone. */
  <T> T alone(Call.Question<T> question) {
    return alone(session -> session.alone(question::ask), deadline(), null);
  }

  /** Runs {@code work}, which reads or may be repeated, on a session. */
  <T> T plain(Session.Work<T> work) {
    return alone(session -> new Reply.Answered<>(work.on(session)), deadline(), null);
  }

  private <T> T alone(Session.Work<Reply<T>> work, long deadline, @Nullable Supplier<T> whenInUse) {
    long patience = whenInUse == null ? deadline : patience(deadline);
    for (int tries = 1; true; tries++) {
      boolean inUse = true;
      SQLException error = null;
      try {
        if (sessions.run(deadline, work) instanceof Reply.Answered<T> answered) {
          return answered.value();
        }
      } catch (SQLException e) {
        Trouble trouble = Trouble.of(e, dialect);
        if (trouble == Trouble.REFUSED) {
          throw new RefusedCallException(
              dialect.product() + " refused the call, nothing was changed: " + e.getMessage(), e);
        }
        inUse = trouble == Trouble.LOCKED;
        error = e;
      }
      if (isOver(inUse ? patience : deadline)) {
        return gaveUp(inUse, error, whenInUse);
      }
      pause(tries);
    }
  }

  private <T> T gaveUp(
      boolean inUse, @Nullable SQLException error, @Nullable Supplier<T> whenInUse) {
    if (inUse && whenInUse != null) {
      return whenInUse.get();
    }
    String product = dialect.product();
    throw new NoAnswerException(
        inUse
            ? "the entry is in use by another transaction in " + product
            : product
                + " did not answer within "
                + timeout
                + (error == null ? "" : ": " + error.getMessage()),
        error);
  }

  /** Ends the watch over calls that nobody waits for: there will be no more. */
  void close() {
    watch.close();
  }

  private long deadline() {
    return Call.deadline(timeout);
  }

  private static long patience(long deadline) {
    long end = Call.deadline(LONGEST_CONTENTION);
    return end - deadline < 0 ? end : deadline;
  }

  private static boolean isOver(long deadline) {
    return System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted();
  }

  private static void pause(int tries) {
    if (tries > AT_ONCE) {
      LockSupport.parkNanos(
          Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(tries - AT_ONCE - 1, 10)));
    }
  }
}
