// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads for calls that may block: virtual threads if the JVM has them, otherwise a pool. */
public final class BlockingCalls implements AutoCloseable {
  /** The size of the pool: enough callers for good batches. */
  public static final int THREADS = 256;

  private final ExecutorService workers;

  public BlockingCalls(int threads) {
    this.workers = workers(threads);
  }

  /** Returns the executor of calls that may block. */
  public Executor blocking() {
    return workers;
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
