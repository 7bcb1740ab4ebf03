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
 * Where blocking calls run: in virtual threads where the JVM has them, else in as many threads as
 * make good batches of a store's statements. Calls of a store that never waits stay in the event
 * loop: a hand-over would cost more than they do.
 */
public final class StoreCalls implements AutoCloseable {
  /** As many as make good batches of a store's statements. */
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

  /** Returns where a call that may block runs. */
  public Executor blocking() {
    return workers;
  }

  /** Returns where a call that only asks the store runs, within the deadline of its request. */
  public Executor ofStore() {
    return isImmediate ? Runnable::run : this::withinDeadline;
  }

  /**
   * Runs a request's call of the store, and others that may block. The time of its store calls
   * begins now: a call that waits for a thread while the store hangs has less left, or none, so
   * that no request waits for longer than its own deadline.
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
