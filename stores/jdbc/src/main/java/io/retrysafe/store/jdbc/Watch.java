// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives up on calls that get no reply in time and for which no thread waits: one thread looks at
 * all of them now and then, which is cheaper than a timer for each.
 */
final class Watch implements Runnable {
  private static final long OFTEN = Duration.ofMillis(5).toNanos();
  private static final long SELDOM = Duration.ofMillis(250).toNanos();

  private final List<Lane> lanes;
  private final long every;
  private final Thread thread = new Thread(this, "retrysafe-lane-watch");
  private final AtomicBoolean isStarted = new AtomicBoolean();
  private volatile boolean isClosed;

  Watch(List<Lane> lanes, Duration timeout) {
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
      long now = System.nanoTime();
      lanes.forEach(lane -> lane.look(now));
    }
  }
}
