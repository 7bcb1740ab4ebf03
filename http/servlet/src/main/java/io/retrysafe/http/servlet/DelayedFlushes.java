// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Lets answers that were flushed leave after a while, if their handlers still go on. */
final class DelayedFlushes {
  private final long nanos;
  private final ScheduledThreadPoolExecutor timer;

  DelayedFlushes(Duration after) {
    this.nanos = after.toNanos();
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "retrysafe-flush");
              thread.setDaemon(true);
              return thread;
            });
    timer.setRemoveOnCancelPolicy(true);
  }

  Future<?> later(Runnable leave) {
    try {
      return timer.schedule(leave, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // The filter is being taken out of service: what is flushed waits for its handler's end.
      return new FutureTask<>(leave, null);
    }
  }

  void stop() {
    timer.shutdownNow();
  }
}
