// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A world that stands still until a test moves it: background work runs in the test's own thread.
 */
public final class ManualRuntime implements EngineRuntime, InstantSource {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private record Task(long at, long number, Runnable work) {}

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
  // Two worlds must not make the same tokens: one may stand for another process.
  private static final AtomicLong SEEDS = new AtomicLong();

  private final Random random = new Random(SEEDS.incrementAndGet());
  private long nanos;
  private long numbers;
  private boolean isStopped;
  private boolean isInterrupting;

  /** Makes the next wait of a caller end by an interrupt. */
  void interruptNextAwait() {
    isInterrupting = true;
  }

  boolean isStopped() {
    return isStopped;
  }

  /** Lets time pass and runs what becomes due, each at its own time. */
  void advance(Duration duration) {
    long until = nanos + duration.toNanos();
    while (!tasks.isEmpty() && tasks.peek().at <= until) {
      Task task = tasks.remove();
      nanos = Math.max(nanos, task.at);
      task.work.run();
    }
    nanos = until;
  }

  @Override
  public Instant instant() {
    return START.plusNanos(nanos);
  }

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public Instant now() {
    return instant();
  }

  @Override
  public Token token() {
    return new Token(random.nextLong(), random.nextLong());
  }

  @Override
  public double random() {
    return 0.5;
  }

  @Override
  public void pause(Duration duration) {
    nanos += duration.toNanos();
  }

  @Override
  public void await(CompletableFuture<?> future) throws InterruptedException {
    if (isInterrupting) {
      isInterrupting = false;
      throw new InterruptedException("the test says so");
    }
    while (!future.isDone()) {
      Task task = tasks.remove();
      nanos = Math.max(nanos, task.at);
      task.work.run();
    }
  }

  @Override
  public void await(CompletableFuture<?> future, Duration atMost) {
    long until = nanos + atMost.toNanos();
    while (!future.isDone() && !tasks.isEmpty() && tasks.peek().at <= until) {
      Task task = tasks.remove();
      nanos = Math.max(nanos, task.at);
      task.work.run();
    }
    nanos = future.isDone() ? nanos : Math.max(nanos, until);
  }

  @Override
  public void aside(Runnable task) {
    after(Duration.ZERO, task);
  }

  @Override
  public Timer after(Lane lane, Duration delay, Runnable work) {
    Task task = new Task(nanos + delay.toNanos(), numbers++, work);
    if (!isStopped) {
      tasks.add(task);
    }
    return () -> tasks.remove(task);
  }

  @Override
  public void alarm(Duration delay, Runnable task) {
    after(delay, task);
  }

  @Override
  public void beatAfter(Duration delay, Runnable beat) {
    after(delay, beat);
  }

  @Override
  public void stop() {
    isStopped = true;
    tasks.clear();
  }
}
