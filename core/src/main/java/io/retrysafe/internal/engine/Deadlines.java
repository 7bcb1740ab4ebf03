// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Ends calls that no thread waits for once their time is over. All have the same time, so they end
 * in the order in which they began: one look at the first of them now and then is cheaper than a
 * timer for each.
 */
final class Deadlines {
  /** Into how many parts the time is divided: a deadline is late by one of them at most. */
  private static final int PARTS = 20;

  private final EngineRuntime runtime;
  private final Duration time;
  private final Duration part;
  private final Queue<Deadline> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isTicking = new AtomicBoolean();
  private volatile boolean isClosed;

  Deadlines(EngineRuntime runtime, Duration time) {
    this.runtime = runtime;
    this.time = time;
    this.part = time.dividedBy(PARTS).plusNanos(1);
  }

  /** The end of one call's time. */
  static final class Deadline {
    private final long at;
    private final Runnable closed;
    private volatile @Nullable Runnable late;

    private Deadline(long at, Runnable late, Runnable closed) {
      this.at = at;
      this.late = late;
      this.closed = closed;
    }

    void cancel() {
      late = null;
    }

    /** Runs {@code late} once: a deadline may also have a timer of its own. */
    private void end() {
      Runnable ending = late;
      late = null;
      if (ending != null) {
        ending.run();
      }
    }
  }

  /**
   * Runs {@code late}, which is quick, at the end of the time that began at {@code start}.
   *
   * @param closed is run if there are no timers any more, and is quick too
   */
  Deadline add(long start, Runnable late, Runnable closed) {
    Deadline deadline = new Deadline(start + time.toNanos(), late, closed);
    waiting.add(deadline);
    Duration spent = Duration.ofNanos(runtime.nanos() - start);
    if (spent.compareTo(part) > 0) {
      // It is due before others that wait already.
      Duration left = time.minus(spent);
      runtime.alarm(left.isNegative() ? Duration.ZERO : left, deadline::end);
    }
    tickLater();
    return deadline;
  }

  /** Returns whether the engine is closed, so that no timer runs any more. */
  boolean isClosed() {
    return isClosed;
  }

  /** Tells all who wait that no timer runs any more. */
  void close() {
    isClosed = true;
    for (Deadline each : waiting) {
      if (each.late != null) {
        each.closed.run();
      }
    }
  }

  private void tickLater() {
    if (!isTicking.get() && isTicking.compareAndSet(false, true)) {
      runtime.alarm(part, this::tick);
    }
  }

  private void tick() {
    try {
      long now = runtime.nanos();
      for (Deadline first = waiting.peek(); first != null; first = waiting.peek()) {
        if (first.late != null && now - first.at < 0) {
          break;
        }
        waiting.poll();
        first.end();
      }
    } finally {
      isTicking.set(false);
      if (!waiting.isEmpty()) {
        tickLater();
      }
    }
  }
}
