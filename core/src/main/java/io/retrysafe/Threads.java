// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Token;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The real world: the system's clock, a secure random source, daemon threads; virtual ones where
 * the JVM has them.
 */
final class Threads implements Seam {
  private static final int WORKERS = 16;
  private static final int TOKENS = 256;

  private final ScheduledThreadPoolExecutor timer = timer("retrysafe-timer");
  private final ScheduledThreadPoolExecutor pulse = timer("retrysafe-heartbeat");
  private final ExecutorService workers = workers();
  private final SecureRandom random = new SecureRandom();
  private final ReentrantLock drawing = new ReentrantLock();
  private final ByteBuffer drawn = ByteBuffer.allocate(TOKENS * 2 * Long.BYTES).limit(0);

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Instant now() {
    return Instant.now();
  }

  @Override
  public Token token() {
    drawing.lock();
    try {
      if (!drawn.hasRemaining()) {
        // Many at a time: drawing 16 bytes costs a secure source almost as much as drawing 4,096.
        random.nextBytes(drawn.array());
        drawn.clear();
      }
      return new Token(drawn.getLong(), drawn.getLong());
    } finally {
      drawing.unlock();
    }
  }

  @Override
  public double random() {
    return ThreadLocalRandom.current().nextDouble();
  }

  @Override
  public void pause(Duration duration) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(duration.toNanos());
  }

  @Override
  public void await(CompletableFuture<?> future) throws InterruptedException {
    try {
      future.get();
    } catch (ExecutionException e) {
      // Done is done: whoever waits looks at the future itself.
    }
  }

  @Override
  public void after(Duration delay, Runnable task) {
    schedule(timer, delay, () -> workers.execute(task));
  }

  @Override
  public void beatAfter(Duration delay, Runnable beat) {
    schedule(pulse, delay, beat);
  }

  @Override
  public void stop() {
    timer.shutdownNow();
    pulse.shutdownNow();
    workers.shutdown();
  }

  private static void schedule(ScheduledThreadPoolExecutor on, Duration delay, Runnable task) {
    try {
      Future<?> unused = on.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // Only after stop(), when background work is over.
    }
  }

  private static ScheduledThreadPoolExecutor timer(String name) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, daemons(name));
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  private static ExecutorService workers() {
    try {
      return (ExecutorService)
          Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    } catch (ReflectiveOperationException e) {
      ThreadPoolExecutor pool =
          new ThreadPoolExecutor(
              WORKERS,
              WORKERS,
              10,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              daemons("retrysafe-worker"));
      pool.allowCoreThreadTimeOut(true);
      return pool;
    }
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
