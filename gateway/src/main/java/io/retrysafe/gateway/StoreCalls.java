// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.store.Immediate;
import io.retrysafe.store.Store;
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
final class StoreCalls implements AutoCloseable {
  private static final int THREADS = 256;

  private final ExecutorService workers = workers();
  private final boolean isImmediate;

  StoreCalls(Store store) {
    this.isImmediate = store instanceof Immediate;
  }

  /** Returns where a call that may block runs. */
  Executor blocking() {
    return workers;
  }

  /** Returns where a call that only asks the store runs. */
  Executor ofStore() {
    return isImmediate ? Runnable::run : workers;
  }

  private static ExecutorService workers() {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) {
      ThreadPoolExecutor pool =
          new ThreadPoolExecutor(
              THREADS,
              THREADS,
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
