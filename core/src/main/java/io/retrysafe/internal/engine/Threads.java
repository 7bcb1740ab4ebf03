// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.store.Token;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;

/**
 * The real world: the system's clock, a secure random source, daemon threads; virtual ones where
 * the JVM has them.
 */
public final class Threads implements EngineRuntime {
  private static final int TOKENS = 256;

  /** Beats of different leases do not wait for each other. */
  private static final int BEATS = 4;

  private static final long IDLE_SECONDS = 10;

  /** When work is offered again for which no thread could be started. */
  private static final Duration NO_THREAD_PAUSE = Duration.ofSeconds(1);

  private static final Logger LOG = System.getLogger("io.retrysafe");

  private final ScheduledThreadPoolExecutor timer = timer("retrysafe-timer", 1);
  private final ScheduledThreadPoolExecutor pulse = timer("retrysafe-heartbeat", BEATS);
  private final Map<Lane, ExecutorService> lanes =
      Arrays.stream(Lane.values())
          .collect(Collectors.toUnmodifiableMap(lane -> lane, Threads::workers));
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
      // The caller looks at the future itself.
    }
  }

  @Override
  public void await(CompletableFuture<?> future, Duration atMost) throws InterruptedException {
    try {
      future.get(atMost.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // The caller looks at the future itself.
    }
  }

  @Override
  public Timer after(Lane lane, Duration delay, Runnable task) {
    return schedule(timer, delay, () -> start(lane, task));
  }

  /** Hands a task to its lane. A task that no thread could be started for is not lost. */
  private void start(Lane lane, Runnable task) {
    try {
      Objects.requireNonNull(lanes.get(lane)).execute(surviving(task));
    } catch (RejectedExecutionException e) {
      // Only after stop(), when background work is over.
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "no thread for " + lane + ", trying again: " + e);
      after(lane, NO_THREAD_PAUSE, task);
    }
  }

  @Override
  public void alarm(Duration delay, Runnable task) {
    Timer unused = schedule(timer, delay, surviving(task));
  }

  @Override
  public void beatAfter(Duration delay, Runnable beat) {
    Timer unused = schedule(pulse, delay, surviving(beat));
  }

  /** A platform thread: a virtual one that hangs in a lock would keep others from running. */
  @Override
  public void aside(Runnable task) {
    daemons("retrysafe-lookup").newThread(task).start();
  }

  @Override
  public void stop() {
    timer.shutdownNow();
    pulse.shutdownNow();
    lanes.values().forEach(ExecutorService::shutdown);
  }

  /** Tasks handle their own exceptions; any other one is logged and never ends a thread. */
  private static Runnable surviving(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (Throwable e) {
        LOG.log(Level.ERROR, "background work failed", e);
      }
    };
  }

  private static Timer schedule(ScheduledThreadPoolExecutor on, Duration delay, Runnable task) {
    try {
      Future<?> scheduled = on.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
      return () -> scheduled.cancel(false);
    } catch (RejectedExecutionException e) {
      // Only after stop(), when background work is over.
      return () -> {};
    }
  }

  private static ScheduledThreadPoolExecutor timer(String name, int threads) {
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(threads, daemons(name));
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /**
   * Looks are made for any number of waiting callers, so they use virtual threads where the JVM has
   * them. Everything else is bounded, and safe from drivers that pin such threads.
   */
  private static ExecutorService workers(Lane lane) {
    if (lane == Lane.LOOKS) {
      try {
        return (ExecutorService)
            Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
      } catch (ReflectiveOperationException e) {
        // Before Java 21.
      }
    }
    String name = "retrysafe-" + lane.name().toLowerCase(Locale.ROOT);
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            lane.threads(),
            lane.threads(),
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            daemons(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory daemons(String name) {
    return task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    };
  }
}
