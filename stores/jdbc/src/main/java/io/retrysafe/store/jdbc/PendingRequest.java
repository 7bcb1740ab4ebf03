// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to get a request answered. Its caller waits for the result in {@link #await}, or is
 * notified without holding a thread.
 */
final class PendingRequest<T> {
  private static final int MOST_NOTIFICATIONS = 20;
  private static final long PAUSE = Duration.ofMillis(10).toNanos();

  private final Request<T> request;
  private final long deadline;
  private final Duration allowed;
  private final @Nullable Thread waiting;
  private final Consumer<PendingRequest<T>> listener;
  private final AtomicReference<@Nullable AttemptResult<T>> result = new AtomicReference<>();

  /** A request whose result this thread waits for until {@code deadline}. */
  PendingRequest(Request<T> request, long deadline) {
    this(request, deadline, Thread.currentThread(), any -> {});
  }

  /**
   * A request for whose result no thread waits.
   *
   * @param listener gets the request once it has a result, or none until {@code deadline}, in a
   *     thread that others wait for
   */
  PendingRequest(Request<T> request, long deadline, Consumer<PendingRequest<T>> listener) {
    this(request, deadline, null, listener);
  }

  private PendingRequest(
      Request<T> request,
      long deadline,
      @Nullable Thread waiting,
      Consumer<PendingRequest<T>> listener) {
    this.request = request;
    this.deadline = deadline;
    this.allowed = until(deadline);
    this.waiting = waiting;
    this.listener = listener;
  }

  /** Returns the requests of a kind, in their order. */
  @SuppressWarnings("unchecked") // the kind says what its result is
  static <T> List<PendingRequest<T>> of(
      List<PendingRequest<?>> requests, Class<? extends Request<T>> kind) {
    List<PendingRequest<T>> found = new ArrayList<>();
    for (PendingRequest<?> each : requests) {
      if (kind.isInstance(each.request)) {
        found.add((PendingRequest<T>) each);
      }
    }
    return found;
  }

  Request<T> request() {
    return request;
  }

  RowId id() {
    return request.id();
  }

  /** Returns how long the caller waits for the result at most. */
  Duration allowed() {
    return allowed;
  }

  long deadline() {
    return deadline;
  }

  /** Returns whether it has its result, or its caller has left: it must not be sent any more. */
  boolean isOver() {
    return result.get() != null;
  }

  /** Sets the result, unless it has one. */
  void reply(AttemptResult<T> value) {
    if (result.compareAndSet(null, value)) {
      notifyCaller();
    }
  }

  /**
   * Notifies the caller, again if that fails: without memory or stack, for instance. The thread
   * that replies has other callers to answer, and this caller has no other thread.
   */
  private void notifyCaller() {
    for (int tries = 1; tries <= MOST_NOTIFICATIONS; tries++) {
      try {
        if (waiting != Thread.currentThread()) {
          LockSupport.unpark(waiting);
        }
        listener.accept(this);
        return;
      } catch (Throwable e) {
        LockSupport.parkNanos(this, PAUSE);
      }
    }
  }

  /** Gives up if the time is over; a thread that waits looks at the time itself. */
  void expire(long now) {
    if (waiting == null && now - deadline >= 0) {
      reply(new AttemptResult.None<>());
    }
  }

  /** Returns the result of a request that is over. */
  AttemptResult<T> result() {
    AttemptResult<T> value = result.get();
    return value == null ? new AttemptResult.None<>() : value;
  }

  /** Returns the result, which is none where none came until the deadline. */
  AttemptResult<T> await() {
    while (result.get() == null) {
      long left = deadline - System.nanoTime();
      if (left <= 0 || Thread.currentThread().isInterrupted()) {
        reply(new AttemptResult.None<>());
      } else {
        LockSupport.parkNanos(this, left);
      }
    }
    return result();
  }

  /** Returns how long it is until {@code deadline}, in whole milliseconds. */
  static Duration until(long deadline) {
    return Duration.ofMillis((deadline - System.nanoTime() + 500_000) / 1_000_000);
  }

  static long deadline(Duration timeout) {
    return System.nanoTime() + timeout.toNanos();
  }
}
