// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.NoAnswerException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Calls the store, and repeats a call that gets no answer until a deadline, which the store knows
 * too. Every store call may be repeated as it is.
 */
final class StoreRetries {
  static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

  private final EngineRuntime runtime;
  private final Duration deadline;
  private final StoreHealth health;
  private final Deadlines deadlines;

  StoreRetries(EngineRuntime runtime, Duration deadline, StoreHealth health) {
    this.runtime = runtime;
    this.deadline = deadline;
    this.health = health;
    this.deadlines = new Deadlines(runtime, deadline);
  }

  /**
   * Returns the store's answer, or throws the last {@link NoAnswerException} once the deadline is
   * over.
   */
  <T> T ask(Supplier<T> call) {
    return ask(runtime.nanos(), call);
  }

  /** Asks as {@link #ask(Supplier)} does, until a deadline that began at {@code start}. */
  <T> T ask(long start, Supplier<T> call) {
    return ask(CallKind.OTHER, start, call);
  }

  /** Asks as {@link #ask(long, Supplier)} does, with a call of the given kind. */
  <T> T ask(CallKind kind, long start, Supplier<T> call) {
    return ask(kind, start, call, answer -> true);
  }

  /**
   * Claims, and again while the key is contended; contended still at the deadline is the answer.
   *
   * @param start when the deadline began
   * @param call claims once
   * @param silence is run for every question that got no answer
   */
  ClaimResult claim(long start, Supplier<ClaimResult> call, Runnable silence) {
    return ask(
        CallKind.CLAIM,
        start,
        () -> {
          try {
            return call.get();
          } catch (NoAnswerException e) {
            silence.run();
            throw e;
          }
        },
        StoreRetries::isDecided);
  }

  private static boolean isDecided(ClaimResult result) {
    return !(result instanceof ClaimResult.Contended);
  }

  /** Claims as {@link #claim} does, without a thread that waits. */
  CompletableFuture<ClaimResult> claimLater(
      long start,
      Supplier<CompletionStage<ClaimResult>> call,
      Runnable silence,
      Executor executor) {
    return new QueuedCall<>(
            this, CallKind.CLAIM, start, call, StoreRetries::isDecided, silence, executor)
        .start();
  }

  /**
   * Asks as {@link #ask(long, Supplier)} does, without a thread that waits. At the deadline the
   * answer is "none", whatever holds the store up.
   *
   * @param call asks once, without waiting
   * @param executor where it is asked again; never held
   */
  <T> CompletableFuture<T> askLater(
      CallKind kind, long start, Supplier<CompletionStage<T>> call, Executor executor) {
    return new QueuedCall<>(this, kind, start, call, answer -> true, () -> {}, executor).start();
  }

  private <T> T ask(CallKind kind, long start, Supplier<T> call, Predicate<T> isEnough) {
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        T answer = once(kind, () -> CallDeadline.within(left(start), runtime::nanos, call));
        if (isEnough.test(answer) || !pause(start, pause)) {
          return answer;
        }
      } catch (NoAnswerException silence) {
        if (!pause(start, pause)) {
          throw silence;
        }
      }
      pause = Pauses.longer(pause, LONGEST_PAUSE);
    }
  }

  /** Asks once, and gives the store the time that it takes for itself. */
  <T> T once(Supplier<T> call) {
    return once(CallKind.OTHER, call);
  }

  /** Asks as {@link #once(Supplier)} does, with a call of the given kind. */
  <T> T once(CallKind kind, Supplier<T> call) {
    long begun = runtime.nanos();
    T answer;
    try {
      answer = call.get();
    } catch (Throwable e) {
      health.failed(kind, begun, e);
      throw e;
    }
    health.answered(kind, answer);
    return answer;
  }

  EngineRuntime runtime() {
    return runtime;
  }

  StoreHealth health() {
    return health;
  }

  Deadlines deadlines() {
    return deadlines;
  }

  /**
   * Returns how much is left of a deadline that began at {@code start}; less if the caller of the
   * engine has less, because it waited for a thread.
   */
  Duration left(long start) {
    return CallDeadline.timeLeft(deadline.minusNanos(runtime.nanos() - start));
  }

  /** Returns false, at once, if the deadline would be over after the pause. */
  private boolean pause(long start, Duration pause) {
    Duration spread = Pauses.spread(pause, runtime);
    if (spread.compareTo(left(start)) >= 0) {
      return false;
    }
    try {
      runtime.pause(spread);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
