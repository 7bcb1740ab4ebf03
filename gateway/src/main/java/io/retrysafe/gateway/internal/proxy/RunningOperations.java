// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts operations from before their claim until their outcome is recorded, even if their clients
 * have disconnected.
 */
final class RunningOperations {
  private static final long LOOK_MILLIS = 10;

  private final @Nullable RunningOperations all;
  private final AtomicInteger count = new AtomicInteger();

  private RunningOperations(@Nullable RunningOperations all) {
    this.all = all;
  }

  static RunningOperations create() {
    return new RunningOperations(null);
  }

  /** Returns a counter of a part of these operations. */
  RunningOperations some() {
    return new RunningOperations(this);
  }

  int count() {
    return count.get();
  }

  /** Counts an operation until the result is closed. */
  Running begin() {
    add(1);
    return new Running();
  }

  private void add(int change) {
    count.addAndGet(change);
    if (all != null) {
      all.add(change);
    }
  }

  /** Waits until no operation runs; returns false if one still runs after that time. */
  boolean awaitNone(Duration within) {
    long end = System.nanoTime() + within.toNanos();
    while (count.get() > 0) {
      if (System.nanoTime() - end >= 0) {
        return false;
      }
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  /** An operation that runs. Any thread may end it; closing it again has no effect. */
  final class Running implements AutoCloseable {
    private final AtomicBoolean isOver = new AtomicBoolean();

    @Override
    public void close() {
      if (isOver.compareAndSet(false, true)) {
        add(-1);
      }
    }
  }
}
