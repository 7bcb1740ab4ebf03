// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.Decision.Granted;
import io.retrysafe.Decision.InProgress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A duplicate that waits for the running one: it looks again when it is woken, or after a growing
 * pause for owners in other processes. It holds nothing while it waits, and giving up changes
 * nothing.
 */
final class Waiter {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(25);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Parts parts;
  private final OperationKey key;
  private final Supplier<CompletableFuture<Decision>> look;
  private final CompletableFuture<Decision> decided = new CompletableFuture<>();
  private final long deadline;

  // Made before each look, so that a wake-up during the look is not missed.
  private volatile CompletableFuture<Void> alarm = new CompletableFuture<>();
  private Duration pause = FIRST_PAUSE;

  Waiter(Parts parts, OperationKey key, Duration upTo, Supplier<CompletableFuture<Decision>> look) {
    this.parts = parts;
    this.key = key;
    this.look = look;
    this.deadline = parts.seam().nanos() + upTo.toNanos();
  }

  OperationKey key() {
    return key;
  }

  CompletableFuture<Decision> decided() {
    return decided;
  }

  void wake() {
    alarm.complete(null);
  }

  /** Tells whoever waits "in progress" without another look. */
  void dismiss() {
    parts.waiters().leave(this);
    decided.complete(new InProgress(Claims.SOON));
  }

  void look() {
    if (decided.isDone()) {
      parts.waiters().leave(this);
      return;
    }
    alarm = new CompletableFuture<>();
    CompletableFuture<Decision> looking;
    try {
      looking = look.get();
    } catch (Throwable e) {
      fail(e);
      return;
    }
    CompletableFuture<Decision> unused =
        looking.whenComplete(
            (decision, failure) -> {
              if (failure == null) {
                looked(decision);
              } else {
                fail(failure);
              }
            });
  }

  /** Whatever it is, somebody waits to be told. */
  private void fail(Throwable failure) {
    parts.waiters().leave(this);
    decided.completeExceptionally(failure);
  }

  private void looked(Decision decision) {
    long left = deadline - parts.seam().nanos();
    if (decision instanceof InProgress && left > 0) {
      lookAgainWithin(Duration.ofNanos(left));
    } else {
      decide(decision);
    }
  }

  private void lookAgainWithin(Duration left) {
    CompletableFuture<Void> woken = alarm;
    Duration next = Pauses.spread(pause, parts.seam());
    pause = Pauses.longer(pause, LONGEST_PAUSE);
    CompletableFuture<Void> unused =
        woken.thenRun(() -> parts.seam().after(Duration.ZERO, this::look));
    parts.seam().after(next.compareTo(left) < 0 ? next : left, () -> woken.complete(null));
  }

  private void decide(Decision decision) {
    parts.waiters().leave(this);
    // Whoever waited may have left in this very moment: then nobody would run what was granted.
    if (!decided.complete(decision) && decision instanceof Granted granted) {
      granted.operation().release();
    }
  }
}
