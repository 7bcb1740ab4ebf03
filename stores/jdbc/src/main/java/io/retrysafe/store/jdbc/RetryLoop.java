// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.jdbc.AttemptResult.Answered;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests by themselves, each on a session of the pool, and again while they are undecided,
 * until their time is over.
 */
final class RetryLoop {
  private static final int AT_ONCE = 2;
  private static final long FIRST_PAUSE = 200_000;
  private static final long LONGEST_PAUSE = 6_000_000;

  /** Between attempts on a server that takes no writes: each of them costs a connection. */
  private static final long FAILOVER_PAUSE = 25_000_000;

  /** How long a claim waits for another transaction before its caller is told of it. */
  private static final Duration LONGEST_CONTENTION = Duration.ofMillis(500);

  private final SessionPool sessions;
  private final BatchStatements statements;
  private final EntryStatements entries;
  private final Dialect dialect;
  private final Duration timeout;
  private final LargeAnswers large;

  RetryLoop(
      SessionPool sessions,
      BatchStatements statements,
      EntryStatements entries,
      Dialect dialect,
      Duration timeout) {
    this.sessions = sessions;
    this.statements = statements;
    this.entries = entries;
    this.dialect = dialect;
    this.timeout = timeout;
    this.large = new LargeAnswers(sessions, Runtime.getRuntime().maxMemory());
  }

  /** How a request is sent. */
  private interface Attempt<T> {
    AttemptResult<T> run(Session session) throws SQLException;

    /** Reads an answer that was {@link AttemptResult.Large}. */
    default AttemptResult<T> readLarge(Session session, int limit) throws SQLException {
      return run(session);
    }
  }

  /** Runs {@code work}, which reads or may be repeated, on a session. */
  <T> T run(Session.Work<T> work) {
    Attempt<T> attempt = session -> new Answered<>(work.on(session));
    return repeat(attempt, false, new Time<>(deadline(), null));
  }

  Optional<Entry> find(OperationKey key) {
    Attempt<Optional<Entry>> attempt =
        new Attempt<>() {
          @Override
          public AttemptResult<Optional<Entry>> run(Session session) throws SQLException {
            return readLarge(session, LargeAnswers.share(1));
          }

          @Override
          public AttemptResult<Optional<Entry>> readLarge(Session session, int limit)
              throws SQLException {
            return entries.find(session, key, limit);
          }
        };
    return repeat(attempt, false, new Time<>(deadline(), null));
  }

  /** Returns the answer to a request that is sent by itself until {@code deadline}. */
  <T> T send(Request<T> request, long deadline) {
    return send(request, false, new Time<>(deadline, null));
  }

  /**
   * @param isLarge whether it is known that the answer is too large to come with those of others
   */
  <T> T send(Request<T> request, boolean isLarge, Time<T> time) {
    Attempt<T> attempt =
        new Attempt<>() {
          @Override
          public AttemptResult<T> run(Session session) throws SQLException {
            PendingRequest<T> pending = new PendingRequest<>(request, time.deadline);
            statements.run(session, List.of(pending));
            return pending.result();
          }

          @Override
          public AttemptResult<T> readLarge(Session session, int limit) throws SQLException {
            return request.readLarge(entries, session, limit);
          }
        };
    return repeat(attempt, isLarge, time);
  }

  private <T> T repeat(Attempt<T> attempt, boolean isKnownLarge, Time<T> time) {
    boolean isLarge = isKnownLarge;
    Throwable error = null;
    for (int tries = 1; true; tries++) {
      boolean inUse = false;
      try {
        AttemptResult<T> result =
            isLarge
                ? large.read(attempt::readLarge, time.deadline)
                : sessions.run(time.deadline, attempt::run);
        if (result instanceof Answered<T> answered) {
          return answered.value();
        }
        // An answer that is there no more is not large either: then the request itself is sent.
        inUse = !isLarge && !(result instanceof AttemptResult.Large<T>);
        isLarge = result instanceof AttemptResult.Large<T>;
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
        // Our own: the request is refused, the entry unreadable, or the store closed.
        throw e;
      } catch (RuntimeException | Error e) {
        // A driver's, or no memory or stack is left: how far the request came is unknown.
        error = e;
      }
      if (time.isOver(inUse)) {
        return gaveUp(inUse, error, time);
      }
      pause(tries);
    }
  }

  /** The time that a request has. */
  static final class Time<T> {
    final long deadline;
    private final Duration allowed;
    private final @Nullable Supplier<T> whenInUse;
    private @Nullable Long endOfContention;

    /**
     * @param whenInUse what to answer when the entry stays in use by another transaction; null for
     *     "no answer"
     */
    Time(long deadline, @Nullable Supplier<T> whenInUse) {
      this(deadline, PendingRequest.until(deadline), whenInUse);
    }

    Time(long deadline, Duration allowed, @Nullable Supplier<T> whenInUse) {
      this.deadline = deadline;
      this.allowed = allowed;
      this.whenInUse = whenInUse;
    }

    /**
     * Returns whether the request is given up; one whose entry is in use waits for a part of it.
     */
    boolean isOver(boolean inUse) {
      if (inUse && whenInUse != null && endOfContention == null) {
        long end = PendingRequest.deadline(LONGEST_CONTENTION);
        endOfContention = end - deadline < 0 ? end : deadline;
      }
      return RetryLoop.isOver(inUse && endOfContention != null ? endOfContention : deadline);
    }
  }

  RefusedCallException refused(SQLException error) {
    return new RefusedCallException(
        dialect.product() + " refused the call, nothing was changed: " + error.getMessage(), error);
  }

  /** Ends a request whose time is over. */
  <T> T gaveUp(boolean inUse, @Nullable Throwable error, Time<T> time) {
    if (inUse && time.whenInUse != null) {
      return time.whenInUse.get();
    }
    String product = dialect.product();
    Throwable why = error == null ? sessions.whyNoConnection() : error;
    throw new NoAnswerException(
        inUse
            ? "the entry is in use by another transaction in " + product
            : product
                + " did not answer within "
                + time.allowed
                + (why == null ? "" : ": " + SqlErrorKind.text(why)),
        why);
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

  static boolean isOver(long deadline) {
    return System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted();
  }

  static void pause(int tries) {
    if (tries > AT_ONCE) {
      LockSupport.parkNanos(
          Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(tries - AT_ONCE - 1, 10)));
    }
  }
}
