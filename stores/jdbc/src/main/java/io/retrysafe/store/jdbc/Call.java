// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A question about one row, put to the database once. The caller waits for the reply; whoever puts
 * the question, alone or with others in a batch, gives it.
 */
final class Call<T> {
  private final RowId id;
  private final Question<T> question;
  private final Thread caller = Thread.currentThread();
  private final AtomicReference<@Nullable Reply<T>> reply = new AtomicReference<>();

  /** The question itself. It may be asked any number of times. */
  interface Question<T> {
    Reply<T> ask(Session session) throws SQLException;
  }

  Call(RowId id, Question<T> question) {
    this.id = id;
    this.question = question;
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
      LockSupport.unpark(caller);
    }
  }

  /** Returns the reply, or null where none came until {@code deadline}: then none will be taken. */
  @Nullable Reply<T> await(long deadline) {
    Reply<T> answer = reply.get();
    while (answer == null) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        Reply<T> none = new Reply.Undecided<>();
        return reply.compareAndSet(null, none) ? null : reply.get();
      }
      LockSupport.parkNanos(this, left);
      answer = reply.get();
    }
    return answer;
  }

  static long deadline(Duration timeout) {
    return System.nanoTime() + timeout.toNanos();
  }
}
