// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Immediate;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads for calls that may block: virtual threads if the JVM has them, otherwise a pool.
 * Calls of a store that never waits stay in the event loop, because a hand-over would cost more
 * than the call.
 */
public final class StoreCalls implements AutoCloseable {
  /** The size of the pool: enough callers for good batches. */
  public static final int THREADS = 256;

  private final ExecutorService workers;
  private final boolean isImmediate;
  private final Duration deadline;

  public StoreCalls(Store store, Duration deadline, int threads) {
    this.workers = workers(threads);
    this.isImmediate = store.capability(Immediate.class).isPresent();
    this.deadline = deadline;
  }

  /** Returns how long a request waits for the store. A reload does not change it. */
  public Duration deadline() {
    return deadline;
  }

  /** Returns the executor of calls that may block. */
  public Executor blocking() {
    return workers;
  }

  /** Returns the executor of store calls, which run within the deadline of their request. */
  public Executor ofStore() {
    return isImmediate ? Runnable::run : this::withinDeadline;
  }

  /**
   * Runs a store call of a request. Its deadline starts now: a call that waits for a thread while
   * the store hangs has less time left, or none. So no request waits longer than its deadline.
   */
  void withinDeadline(Runnable call) {
    long start = System.nanoTime();
    workers.execute(
        () -> {
          Duration left = deadline.minusNanos(System.nanoTime() - start);
          CallDeadline.within(
              left.isNegative() ? Duration.ZERO : left,
              System::nanoTime,
              () -> {
                call.run();
                return true;
              });
        });
  }

  private static ExecutorService workers(int threads) {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) {
      ThreadPoolExecutor pool =
          new ThreadPoolExecutor(
              threads,
              threads,
              10,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              task -> {
                Thread thread = new Thread(task, "retrysafe-store");
                thread.setDaemon(true);
                return thread;
              });
      pool.allowCoreThreadTimeOut(true);
      return pool;
    }
  }

  @Override
  public void close() {
    workers.shutdown();
  }
}
