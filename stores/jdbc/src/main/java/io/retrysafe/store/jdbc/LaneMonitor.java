// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Checks the lanes now and then, in one thread: for requests whose time is over and for which no
 * thread waits, which is cheaper than a timer for each, and for lanes that are stalled.
 */
final class LaneMonitor implements Runnable {
  private static final long OFTEN = Duration.ofMillis(5).toNanos();
  private static final long SELDOM = Duration.ofMillis(250).toNanos();

  private final List<? extends LongConsumer> checks;
  private final long every;
  private final Thread thread = new Thread(this, "retrysafe-lane-monitor");
  private volatile boolean isClosed;

  /**
   * @param checks get the time
   */
  LaneMonitor(List<? extends LongConsumer> checks, Duration timeout) {
    this.checks = checks;
    this.every = Math.max(OFTEN, Math.min(SELDOM, timeout.toNanos() / 8));
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void close() {
    isClosed = true;
    LockSupport.unpark(thread);
  }

  @Override
  public void run() {
    while (!isClosed) {
      LockSupport.parkNanos(this, every);
      checks.forEach(LaneMonitor::run);
    }
  }

  /** Whatever is thrown, the thread continues and checks again: requests could wait for ever. */
  private static void run(LongConsumer check) {
    try {
      check.accept(System.nanoTime());
    } catch (Throwable e) {
      // No memory or stack was left, most likely; a log could not be written either.
      LockSupport.parkNanos(OFTEN);
    }
  }
}
