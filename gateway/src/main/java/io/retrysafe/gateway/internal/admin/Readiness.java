// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether operations can be claimed and recorded, by doing it. Callers share one probe, and
 * its result counts for a second, so there is at most one probe a second.
 *
 * <p>A probe without an answer is given up after a while, and another one begins, so that a lost
 * answer does not keep the gateway from being ready. A store that hangs holds only a few probes.
 */
public final class Readiness {
  private static final long COUNTS_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_PROBES = 4;

  private final Supplier<CompletionStage<Boolean>> start;
  private @Nullable Probe last;
  private int running;

  /** A probe, running or ended. */
  private static final class Probe {
    final CompletableFuture<Boolean> answer = new CompletableFuture<>();
    final long since = System.nanoTime();
    long until;
  }

  /**
   * Makes a check that probes with {@code start}.
   *
   * @param start begins a probe and does not wait for it
   */
  public Readiness(Supplier<CompletionStage<Boolean>> start) {
    this.start = start;
  }

  /** Returns whether operations can be claimed and recorded {@code within} a time. */
  public boolean isReady(Duration within) {
    try {
      return probe(within).answer.get(within.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private Probe probe(Duration within) {
    Probe probe;
    synchronized (this) {
      Probe before = last;
      if (before != null && isEnough(before, within)) {
        return before;
      }
      running++;
      probe = new Probe();
      last = probe;
    }
    begin(probe);
    return probe;
  }

  private boolean isEnough(Probe probe, Duration within) {
    long now = System.nanoTime();
    if (probe.answer.isDone()) {
      return now - probe.until < COUNTS_NANOS;
    }
    boolean isLost = now - probe.since > 2 * within.toNanos() + COUNTS_NANOS;
    return !isLost || running >= MOST_PROBES;
  }

  private void begin(Probe probe) {
    try {
      CompletionStage<Boolean> unused =
          start.get().whenComplete((isReady, failure) -> end(probe, Boolean.TRUE.equals(isReady)));
    } catch (Throwable e) {
      end(probe, false);
    }
  }

  private void end(Probe probe, boolean isReady) {
    synchronized (this) {
      running--;
      probe.until = System.nanoTime();
    }
    probe.answer.complete(isReady);
  }
}
