// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

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

  private final Seam seam;
  private final Duration time;
  private final Duration part;
  private final Queue<Deadline> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isTicking = new AtomicBoolean();

  Deadlines(Seam seam, Duration time) {
    this.seam = seam;
    this.time = time;
    this.part = time.dividedBy(PARTS).plusNanos(1);
  }

  /** The end of one call's time. */
  static final class Deadline {
    private final long at;
    private volatile @Nullable Runnable late;

    private Deadline(long at, Runnable late) {
      this.at = at;
      this.late = late;
    }

    void cancel() {
      late = null;
    }
  }

  /** Runs {@code late}, which is quick, at the end of the time that begins now. */
  Deadline add(Runnable late) {
    Deadline deadline = new Deadline(seam.nanos() + time.toNanos(), late);
    waiting.add(deadline);
    tickLater();
    return deadline;
  }

  private void tickLater() {
    if (!isTicking.get() && isTicking.compareAndSet(false, true)) {
      seam.alarm(part, this::tick);
    }
  }

  private void tick() {
    try {
      long now = seam.nanos();
      for (Deadline first = waiting.peek(); first != null; first = waiting.peek()) {
        Runnable late = first.late;
        if (late != null && now - first.at < 0) {
          break;
        }
        waiting.poll();
        if (late != null) {
          late.run();
        }
      }
    } finally {
      isTicking.set(false);
      if (!waiting.isEmpty()) {
        tickLater();
      }
    }
  }
}
