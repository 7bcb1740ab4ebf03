// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

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
final class Call<T> {
  private final RowId id;
  private final Question<T> question;
  private final Caller caller;
  private final AtomicReference<@Nullable Reply<T>> reply = new AtomicReference<>();

  /** The question itself. It may be asked any number of times. */
  interface Question<T> {
    Reply<T> ask(Session session) throws SQLException;
  }

  /** Whoever is told that there is a reply, or that none is taken any more. */
  private interface Caller {
    void tell();

    boolean isTooLate(long now);
  }

  /** A call whose reply this thread waits for, with {@link #await}. */
  Call(RowId id, Question<T> question) {
    Thread thread = Thread.currentThread();
    this.id = id;
    this.question = question;
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
  Call(RowId id, Question<T> question, long deadline, Consumer<Call<T>> told) {
    this.id = id;
    this.question = question;
    this.caller =
        new Caller() {
          @Override
          public void tell() {
            told.accept(Call.this);
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

  /** Returns whether nobody waits any more, so that it must not go out. */
  boolean isOver() {
    return reply.get() != null;
  }

  /** Puts the question alone and takes the reply. */
  void ask(Session session) throws SQLException {
    reply(session.alone(question::ask));
  }

  void reply(Reply<T> answer) {
    if (reply.compareAndSet(null, answer)) {
      caller.tell();
    }
  }

  /** Takes no reply any more if none came in time. */
  void look(long now) {
    if (reply.get() == null && caller.isTooLate(now)) {
      reply(new Reply.None<>());
    }
  }

  /** Returns the reply of a call that is over. */
  Reply<T> reply() {
    Reply<T> answer = reply.get();
    return answer == null ? new Reply.None<>() : answer;
  }

  /** Returns the reply, which is none where none came until {@code deadline}. */
  Reply<T> await(long deadline) {
    while (reply.get() == null) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        reply(new Reply.None<>());
      } else {
        LockSupport.parkNanos(this, left);
      }
    }
    return reply();
  }

  static long deadline(Duration timeout) {
    return System.nanoTime() + timeout.toNanos();
  }
}
