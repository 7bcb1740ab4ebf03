// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Where blocking calls run: in virtual threads where the JVM has them, else in as many threads as
 * make good batches of a store's statements.
 */
final class StoreCalls implements AutoCloseable {
  /** As many as make good batches of a store's statements. */
  static final int THREADS = 256;

  private final ExecutorService workers;

  StoreCalls(int threads) {
    this.workers = workers(threads);
  }

  /** Returns where a call that may block runs. */
  Executor blocking() {
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
