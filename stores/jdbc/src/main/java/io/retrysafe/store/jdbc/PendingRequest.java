// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Scope;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A question about one row, put to the database once. The caller waits for the reply, or is told
 * without holding a thread; whoever puts the question, alone or with others in a batch, gives it.
 */
final class PendingRequest<T> {
  private static final int MOST_TELLING = 20;
  private static final long PAUSE = Duration.ofMillis(10).toNanos();

  private final RowId id;
  private final Question<T> question;
  private final long deadline;
  private final Duration allowed;
  private final Caller caller;
  private final AtomicReference<@Nullable AttemptResult<T>> reply = new AtomicReference<>();

  /** The question itself. It may be asked any number of times. */
  interface Question<T> {
    AttemptResult<T> ask(Session session) throws SQLException;

    /** Asks in a transaction with others: {@code among} calls, itself included. */
    default AttemptResult<T> ask(Session session, int among) throws SQLException {
      return ask(session);
    }

    /**
     * Asks for an answer that was {@link AttemptResult.Large}.
     *
     * @param limit the most bytes that it may have; one that has more is large again
     */
    default AttemptResult<T> askWhole(Session session, int limit) throws SQLException {
      return ask(session);
    }

    /** Returns the question as it is asked again after a reply that was undecided. */
    default Question<T> again() {
      return this;
    }

    /** Returns the scope of the key that it is about; null if it is about several or none. */
    default @Nullable Scope scope() {
      return null;
    }

    /** Returns how many bytes of a batch it takes, besides a few hundred. */
    default long bytes() {
      return 0;
    }
  }

  /** Whoever is told that there is a reply, or that none is taken any more. */
  private interface Caller {
    void tell();

    boolean isTooLate(long now);
  }

  /** A call whose reply this thread waits for, with {@link #await}, until {@code deadline}. */
  PendingRequest(RowId id, Question<T> question, long deadline) {
    Thread thread = Thread.currentThread();
    this.id = id;
    this.question = question;
    this.deadline = deadline;
    this.allowed = until(deadline);
    this.caller =
        new Caller() {
          @Override
          public void tell() {
            LockSupport.unpark(thread);
          }

          /** A thread that waits looks at the time itself. */
          @Override
          public boolean isTooLate(long now) {
            return false;
          }
        };
  }

  /**
   * A call for whose reply no thread waits.
   *
   * @param told gets the call once it has a reply, or none until {@code deadline}, in a thread that
   *     others wait for
   */
  PendingRequest(RowId id, Question<T> question, long deadline, Consumer<PendingRequest<T>> told) {
    this.id = id;
    this.question = question;
    this.deadline = deadline;
    this.allowed = until(deadline);
    this.caller =
        new Caller() {
          @Override
          public void tell() {
            told.accept(PendingRequest.this);
          }

          @Override
          public boolean isTooLate(long now) {
            return now - deadline >= 0;
          }
        };
  }

  RowId id() {
    return id;
  }

  Question<T> question() {
    return question;
  }

  /** Returns how long a reply was waited for at most. */
  Duration allowed() {
    return allowed;
  }

  /** Returns until when a reply is waited for. */
  long deadline() {
    return deadline;
  }

  /** Returns whether nobody waits any more, so that it must not go out. */
  boolean isOver() {
    return reply.get() != null;
  }

  /** Puts the question alone and takes the reply. */
  void ask(Session session) throws SQLException {
    reply(session.alone(question::ask));
  }

  void reply(AttemptResult<T> answer) {
    if (reply.compareAndSet(null, answer)) {
      tell();
    }
  }

  /**
   * Tells the caller, and again if that fails: without memory or stack, for instance. Whoever
   * replies has other callers to answer, and this one has nobody else.
   */
  private void tell() {
    for (int tries = 1; tries <= MOST_TELLING; tries++) {
      try {
        caller.tell();
        return;
      } catch (Throwable e) {
        LockSupport.parkNanos(this, PAUSE);
      }
    }
  }

  /** Takes no reply any more if none came in time. */
  void look(long now) {
    if (reply.get() == null && caller.isTooLate(now)) {
      reply(new AttemptResult.None<>());
    }
  }

  /** Returns the reply of a call that is over. */
  AttemptResult<T> reply() {
    AttemptResult<T> answer = reply.get();
    return answer == null ? new AttemptResult.None<>() : answer;
  }

  /** Returns the reply, which is none where none came until the deadline. */
  AttemptResult<T> await() {
    while (reply.get() == null) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        reply(new AttemptResult.None<>());
      } else {
        LockSupport.parkNanos(this, left);
      }
    }
    return reply();
  }

  /** Returns how long it is until {@code deadline}, in whole milliseconds. */
  static Duration until(long deadline) {
    return Duration.ofMillis((deadline - System.nanoTime() + 500_000) / 1_000_000);
  }

  static long deadline(Duration timeout) {
    return System.nanoTime() + timeout.toNanos();
  }
}
