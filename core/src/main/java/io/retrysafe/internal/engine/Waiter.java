// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Decision;
import io.retrysafe.Decision.InProgress;
import io.retrysafe.OperationKey;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A duplicate that waits for the running one: it looks again when it is woken, or after a growing
 * pause for owners in other processes. It holds nothing while it waits, and giving up changes
 * nothing.
 *
 * <p>The last look begins when its time is over. A timer ends the wait soon after that, whether the
 * store has answered that look or not.
 */
final class Waiter {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(25);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  /** How long the last look may take: a part of the time, between these. */
  private static final int LAST_LOOK_PART = 20;

  private static final Duration SHORTEST_LAST_LOOK = Duration.ofMillis(50);
  private static final Duration LONGEST_LAST_LOOK = Duration.ofSeconds(1);

  private final EngineContext context;
  private final OperationKey key;
  private final Supplier<CompletableFuture<Decision>> look;
  private final PendingDecision decided;
  private final AtomicReference<EngineRuntime.@Nullable Timer> end = new AtomicReference<>();
  private final Duration lastLook;
  private final long deadline;

  // Made before each look, so that a wake-up during the look is not missed.
  private volatile CompletableFuture<Void> alarm = new CompletableFuture<>();
  private Duration pause = FIRST_PAUSE;

  Waiter(
      EngineContext context,
      OperationKey key,
      Duration upTo,
      Supplier<CompletableFuture<Decision>> look,
      PendingDecision decided) {
    this.context = context;
    this.key = key;
    this.look = look;
    this.decided = decided;
    this.lastLook = lastLook(upTo);
    this.deadline = context.runtime().nanos() + upTo.toNanos();
  }

  private static Duration lastLook(Duration upTo) {
    Duration part = upTo.dividedBy(LAST_LOOK_PART);
    if (part.compareTo(SHORTEST_LAST_LOOK) < 0) {
      return SHORTEST_LAST_LOOK;
    }
    return part.compareTo(LONGEST_LAST_LOOK) > 0 ? LONGEST_LAST_LOOK : part;
  }

  OperationKey key() {
    return key;
  }

  void wake() {
    alarm.complete(null);
  }

  /** Answers the waiting caller "in progress" without another look. */
  void dismiss() {
    leave();
    decided.dismiss();
  }

  void look() {
    if (decided.isDone()) {
      leave();
      return;
    }
    alarm = new CompletableFuture<>();
    CompletableFuture<Decision> looking;
    try {
      looking = look.get();
    } catch (Throwable e) {
      leave();
      decided.fail(e);
      return;
    }
    CompletableFuture<Decision> unused =
        looking.whenComplete(
            (decision, failure) -> {
              if (failure == null) {
                looked(decision);
              } else {
                leave();
                decided.completeExceptionally(Futures.unwrapped(failure));
              }
            });
  }

  private void leave() {
    EngineRuntime.Timer timer = end.get();
    if (timer != null) {
      timer.cancel();
    }
    context.waiters().leave(this);
  }

  private void looked(Decision decision) {
    long left = deadline - context.runtime().nanos();
    if (decision instanceof InProgress && left > 0) {
      if (!decided.await()) {
        leave();
        return;
      }
      endAfter(Duration.ofNanos(left).plus(lastLook));
      lookAgainWithin(Duration.ofNanos(left));
    } else {
      leave();
      decided.decide(decision);
    }
  }

  /** Only once a look has shown that the operation is in progress: that is what will be told. */
  private void endAfter(Duration time) {
    if (end.get() == null) {
      end.set(context.runtime().after(EngineRuntime.Lane.ANSWERS, time, this::dismiss));
    }
  }

  private void lookAgainWithin(Duration left) {
    CompletableFuture<Void> woken = alarm;
    Duration next = Pauses.spread(pause, context.runtime());
    pause = Pauses.longer(pause, LONGEST_PAUSE);
    CompletableFuture<Void> unused =
        woken.thenRun(
            () -> context.runtime().after(EngineRuntime.Lane.LOOKS, Duration.ZERO, this::look));
    context.runtime().alarm(next.compareTo(left) < 0 ? next : left, () -> woken.complete(null));
  }
}
