// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Gives up on calls that get no reply in time and for which no thread waits: one thread looks at
 * all of them now and then, which is cheaper than a timer for each.
 */
final class LaneMonitor implements Runnable {
  private static final long OFTEN = Duration.ofMillis(5).toNanos();
  private static final long SELDOM = Duration.ofMillis(250).toNanos();

  private final List<? extends LongConsumer> lanes;
  private final long every;
  private final Thread thread = new Thread(this, "retrysafe-lane-watch");
  private final AtomicBoolean isStarted = new AtomicBoolean();
  private volatile boolean isClosed;

  /**
   * @param lanes give up on calls that are too late at the time that they are given
   */
  LaneMonitor(List<? extends LongConsumer> lanes, Duration timeout) {
    this.lanes = lanes;
    this.every = Math.max(OFTEN, Math.min(SELDOM, timeout.toNanos() / 8));
  }

  /** Begins with the first call that needs it. */
  void start() {
    if (!isStarted.get() && isStarted.compareAndSet(false, true)) {
      thread.setDaemon(true);
      thread.start();
    }
  }

  void close() {
    isClosed = true;
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    while (!isClosed) {
      LockSupport.parkNanos(this, every);
      lanes.forEach(LaneMonitor::look);
    }
  }

  /** Whatever is thrown, the thread continues and looks again: calls could wait for ever. */
  private static void look(LongConsumer lane) {
    try {
      lane.accept(System.nanoTime());
    } catch (Throwable e) {
      // No memory or stack was left, most likely; a log could not be written either.
      LockSupport.parkNanos(OFTEN);
    }
  }
}
