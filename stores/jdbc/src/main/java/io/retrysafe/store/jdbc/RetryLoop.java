// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.StoreException;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How questions get their answers: through a lane, where they share a statement with others, and
 * alone where that failed; again while they are undecided, until the time is over.
 */
final class RetryLoop {
  private static final int AT_ONCE = 2;
  private static final long FIRST_PAUSE = 200_000;
  private static final long LONGEST_PAUSE = 6_000_000;

  /** Between attempts on a server that takes no writes: each of them costs a connection. */
  private static final long FAILOVER_PAUSE = 25_000_000;

  /** How long a claim waits for somebody's transaction before it is told that there is one. */
  private static final Duration LONGEST_CONTENTION = Duration.ofMillis(500);

  private final SessionPool sessions;
  private final List<BatchLane> lanes;
  private final Quarantine quarantine;

  /** The lane for calls of scopes that are in quarantine, where there is one. */
  private final @Nullable BatchLane isolation;

  private final @Nullable ArrayStatements arrayStatements;
  private final Dialect dialect;
  private final Duration timeout;
  private final LargeAnswers large;
  private final LaneMonitor watch;

  RetryLoop(
      SessionPool sessions,
      List<BatchLane> lanes,
      Quarantine quarantine,
      @Nullable BatchLane isolation,
      @Nullable ArrayStatements arrayStatements,
      Dialect dialect,
      Duration timeout) {
    this.sessions = sessions;
    this.lanes = lanes;
    this.quarantine = quarantine;
    this.isolation = isolation;
    this.arrayStatements = arrayStatements;
    this.dialect = dialect;
    this.timeout = timeout;
    this.large = new LargeAnswers(sessions, Runtime.getRuntime().maxMemory());
    this.watch =
        new LaneMonitor(
            Stream.concat(lanes.stream(), Stream.ofNullable(isolation))
                .<LongConsumer>map(lane -> lane::look)
                .toList(),
            timeout);
  }

  /** Sends a question through its lane, without waiting. */
  <T> PendingRequest<T> send(RowId id, PendingRequest.Question<T> question) {
    PendingRequest<T> call = new PendingRequest<>(id, question, deadline());
    lane(id, question).submit(call);
    return call;
  }

  /** Sends a question through its lane before all that wait there, without waiting. */
  <T> PendingRequest<T> sendFirst(RowId id, PendingRequest.Question<T> question) {
    PendingRequest<T> call = new PendingRequest<>(id, question, deadline());
    lane(id, question).submitFirst(call);
    return call;
  }

  /** Returns {@code rows} by the lane that their owners' calls take. */
  <E> Collection<List<E>> byLane(List<E> rows, Function<E, RowId> id) {
    Map<BatchLane, List<E>> byLane = new LinkedHashMap<>();
    boolean isShared = isShared();
    for (E row : rows) {
      BatchLane lane = lane(id.apply(row), false, isShared);
      byLane.computeIfAbsent(lane, any -> new ArrayList<>()).add(row);
    }
    return byLane.values();
  }

  /** Returns the answer to a question about the row {@code id}. */
  <T> T ask(RowId id, PendingRequest.Question<T> question, @Nullable Supplier<T> whenInUse) {
    return await(put(id, question, deadline()), whenInUse);
  }

  /**
   * Asks as {@link #ask} does, and holds no thread: only what the first reply does not decide goes
   * on in {@code blocking}.
   */
  <T> CompletionStage<T> askLater(
      RowId id,
      PendingRequest.Question<T> question,
      @Nullable Supplier<T> whenInUse,
      Executor blocking) {
    long deadline = deadline();
    CompletableFuture<T> answer = new CompletableFuture<>();
    Consumer<PendingRequest<T>> told =
        call -> {
          if (call.reply() instanceof AttemptResult.Answered<T> answered) {
            answer.complete(answered.value());
          } else if (call.reply() instanceof AttemptResult.Refused<T> refused) {
            answer.completeExceptionally(refused(refused.error()));
          } else {
            complete(answer, blocking, () -> await(call, whenInUse));
          }
        };
    watch.start();
    lane(id, question).submit(new PendingRequest<>(id, question, deadline, told));
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
  private BatchLane lane(RowId id, PendingRequest.Question<?> question) {
    return isolation != null && quarantine.contains(question.scope())
        ? isolation
        : lane(id, question instanceof ClaimRequest, isShared());
  }

  /** Returns whether claims and other calls share all lanes at present. */
  private boolean isShared() {
    return lanes.size() < 2 || arrayStatements == null || !arrayStatements.isFresh();
  }

  private BatchLane lane(RowId id, boolean isClaim, boolean isShared) {
    if (isShared) {
      return lanes.get(id.lane(lanes.size()));
    }
    int forClaims = lanes.size() / 2;
    return isClaim
        ? lanes.get(id.lane(forClaims))
        : lanes.get(forClaims + id.lane(lanes.size() - forClaims));
  }

  private <T> PendingRequest<T> put(RowId id, PendingRequest.Question<T> question, long deadline) {
    PendingRequest<T> call = new PendingRequest<>(id, question, deadline);
    lane(id, question).put(call);
    return call;
  }

  /**
   * Returns the answer to a question that was sent.
   *
   * @param whenInUse what to answer when the entry stays in use by somebody's transaction; null for
   *     "no answer"
   */
  <T> T await(PendingRequest<T> sent, @Nullable Supplier<T> whenInUse) {
    long deadline = sent.deadline();
    Contention contention = new Contention(whenInUse != null, deadline);
    AttemptResult<T> reply = sent.await();
    for (int tries = 1; true; tries++) {
      if (reply instanceof AttemptResult.Answered<T> answered) {
        return answered.value();
      }
      if (reply instanceof AttemptResult.Refused<T> refused) {
        throw refused(refused.error());
      }
      if (reply instanceof AttemptResult.Failed<T> || reply instanceof AttemptResult.Large<T>) {
        // In a batch the fault may be another call's.
        boolean isLarge = reply instanceof AttemptResult.Large<T>;
        Way<T> way = RetryLoop::asTransaction;
        return alone(sent.question(), isLarge, way, deadline, sent.allowed(), whenInUse);
      }
      boolean inUse = !(reply instanceof AttemptResult.None<T>);
      if (isOver(inUse ? contention.end() : deadline)) {
        return gaveUp(inUse, null, sent.allowed(), whenInUse);
      }
      pause(tries);
      reply = put(sent.id(), sent.question().again(), deadline).await();
    }
  }

  /** How long a call lets another transaction be in its way, from the first time it is. */
  private static final class Contention {
    private final boolean isBounded;
    private final long deadline;
    private @Nullable Long end;

    Contention(boolean isBounded, long deadline) {
      this.isBounded = isBounded;
      this.deadline = deadline;
    }

    long end() {
      if (end == null) {
        end = isBounded ? patience(deadline) : deadline;
      }
      return end;
    }
  }

  /** Returns the answer to a question that goes out alone. */
  <T> T alone(PendingRequest.Question<T> question) {
    long deadline = deadline();
    return alone(
        question, false, RetryLoop::asTransaction, deadline, PendingRequest.until(deadline), null);
  }

  /** Asks as {@link #alone} does, in {@code blocking}, until the deadline of this thread. */
  <T> CompletionStage<T> aloneLater(PendingRequest.Question<T> question, Executor blocking) {
    long deadline = deadline();
    Duration allowed = PendingRequest.until(deadline);
    Way<T> way = RetryLoop::asTransaction;
    CompletableFuture<T> answer = new CompletableFuture<>();
    complete(answer, blocking, () -> alone(question, false, way, deadline, allowed, null));
    return answer;
  }

  /** Returns the answer to a question that only reads. */
  <T> T read(PendingRequest.Question<T> question) {
    long deadline = deadline();
    return alone(
        question,
        false,
        PendingRequest.Question::ask,
        deadline,
        PendingRequest.until(deadline),
        null);
  }

  /** Runs {@code work}, which reads or may be repeated, on a session. */
  <T> T plain(Session.Work<T> work) {
    return read(session -> new AttemptResult.Answered<>(work.on(session)));
  }

  private static <T> AttemptResult<T> asTransaction(
      PendingRequest.Question<T> question, Session session) throws SQLException {
    return session.alone(question::ask);
  }

  /** How a question is asked on a session. */
  private interface Way<T> {
    AttemptResult<T> ask(PendingRequest.Question<T> question, Session session) throws SQLException;
  }

  private <T> T alone(
      PendingRequest.Question<T> question,
      boolean isKnownLarge,
      Way<T> way,
      long deadline,
      Duration allowed,
      @Nullable Supplier<T> whenInUse) {
    Contention contention = new Contention(whenInUse != null, deadline);
    boolean isLarge = isKnownLarge;
    Throwable error = null;
    for (int tries = 1; true; tries++) {
      boolean inUse = false;
      try {
        AttemptResult<T> reply =
            isLarge
                ? large.ask(question, deadline)
                : sessions.run(deadline, session -> way.ask(question, session));
        if (reply instanceof AttemptResult.Answered<T> answered) {
          return answered.value();
        }
        // An answer that is there no more is not large either: then the question itself is asked.
        inUse = !isLarge && !(reply instanceof AttemptResult.Large<T>);
        isLarge = reply instanceof AttemptResult.Large<T>;
      } catch (SQLException e) {
        SqlErrorKind kind = SqlErrorKind.of(e, dialect);
        if (kind == SqlErrorKind.REFUSED) {
          throw refused(e);
        }
        inUse = kind == SqlErrorKind.LOCKED;
        if (kind == SqlErrorKind.READ_ONLY) {
          LockSupport.parkNanos(FAILOVER_PAUSE);
        }
        // That the time was over says less than what happened before.
        error = error != null && e instanceof SQLTimeoutException ? error : e;
      } catch (StoreException | IllegalArgumentException | IllegalStateException e) {
        // Our own: the call is refused, the entry unreadable, or the store closed.
        throw e;
      } catch (RuntimeException | Error e) {
        // A driver's, or no memory or stack is left: nobody knows how far the call came.
        error = e;
      }
      if (isOver(inUse ? contention.end() : deadline)) {
        return gaveUp(inUse, error, allowed, whenInUse);
      }
      pause(tries);
    }
  }

  private RefusedCallException refused(SQLException error) {
    return new RefusedCallException(
        dialect.product() + " refused the call, nothing was changed: " + error.getMessage(), error);
  }

  private <T> T gaveUp(
      boolean inUse, @Nullable Throwable error, Duration allowed, @Nullable Supplier<T> whenInUse) {
    if (inUse && whenInUse != null) {
      return whenInUse.get();
    }
    String product = dialect.product();
    Throwable why = error == null ? sessions.kind() : error;
    throw new NoAnswerException(
        inUse
            ? "the entry is in use by another transaction in " + product
            : product
                + " did not answer within "
                + allowed
                + (why == null ? "" : ": " + SqlErrorKind.text(why)),
        why);
  }

  /** Ends the watch over calls that nobody waits for: there will be no more. */
  void close() {
    watch.close();
  }

  /**
   * Returns until when a call that begins now may take: the time-out, or less if its caller waits
   * for less.
   */
  long deadline() {
    Duration left = CallDeadline.timeLeft(timeout);
    if (left.isZero()) {
      throw new NoAnswerException("the time of the call was over before it was sent", null);
    }
    return PendingRequest.deadline(left);
  }

  private static long patience(long deadline) {
    long end = PendingRequest.deadline(LONGEST_CONTENTION);
    return end - deadline < 0 ? end : deadline;
  }

  static boolean isOver(long deadline) {
    return System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted();
  }

  private static void pause(int tries) {
    if (tries > AT_ONCE) {
      LockSupport.parkNanos(
          Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(tries - AT_ONCE - 1, 10)));
    }
  }
}
