// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.NoAnswerException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call that waits in the store's queue, and is made again while the store is silent. No thread
 * waits for it, and its deadline holds whatever the store does: an answer that comes later is
 * ignored.
 */
final class QueuedCall<T> {
  private final StoreRetries retries;
  private final EngineRuntime runtime;
  private final CallKind kind;
  private final Supplier<CompletionStage<T>> call;
  private final Predicate<T> isEnough;
  private final Runnable silence;
  private final Executor executor;
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final long start;
  private Duration pause = StoreRetries.FIRST_PAUSE;
  private Deadlines.@Nullable Deadline deadline;
  private boolean isOver;

  /** Whether there is a question that may still be answered. */
  private boolean isAsked;

  /** The last answer that was not enough. */
  private @Nullable T last;

  QueuedCall(
      StoreRetries retries,
      CallKind kind,
      long start,
      Supplier<CompletionStage<T>> call,
      Predicate<T> isEnough,
      Runnable silence,
      Executor executor) {
    this.retries = retries;
    this.runtime = retries.runtime();
    this.kind = kind;
    this.call = call;
    this.isEnough = isEnough;
    this.silence = silence;
    this.executor = executor;
    this.start = start;
  }

  CompletableFuture<T> start() {
    deadline = retries.deadlines().add(start, this::late, this::closed);
    send();
    return result;
  }

  private void send() {
    long begun = runtime.nanos();
    CompletionStage<T> stage;
    synchronized (this) {
      // Nothing is sent after the deadline: a claim would not be undone that lands too late.
      if (isOver) {
        return;
      }
      isAsked = true;
      try {
        stage = CallDeadline.within(retries.left(start), runtime::nanos, call);
      } catch (Throwable e) {
        stage = CompletableFuture.failedFuture(e);
      }
    }
    CompletionStage<T> unused = stage.whenComplete((answer, e) -> answered(begun, answer, e));
  }

  private void answered(long begun, @Nullable T answer, @Nullable Throwable thrown) {
    Throwable failure = thrown == null ? null : Futures.unwrapped(thrown);
    if (failure == null && answer == null) {
      failure = new IllegalStateException("a store neither answered nor failed");
    }
    if (failure == null) {
      retries.health().answered(kind, Objects.requireNonNull(answer));
    } else {
      retries.health().failed(kind, begun, failure);
    }
    synchronized (this) {
      if (isOver) {
        return;
      }
      isAsked = false;
      boolean isSilence = failure instanceof NoAnswerException;
      if (isSilence) {
        silence.run();
      }
      boolean isAgain = isSilence || (answer != null && !isEnough.test(answer));
      last = isAgain ? answer : null;
      if (isAgain && isAskedAgain()) {
        return;
      }
      isOver = true;
    }
    end(answer, failure);
  }

  private boolean isAskedAgain() {
    Duration spread = Pauses.spread(pause, runtime);
    if (spread.compareTo(retries.left(start)) >= 0 || retries.deadlines().isClosed()) {
      return false;
    }
    pause = Pauses.longer(pause, StoreRetries.LONGEST_PAUSE);
    runtime.alarm(spread, () -> executor.execute(this::send));
    return true;
  }

  /** Ends a call that would be made again: no timer does that any more. */
  private void closed() {
    boolean isWaiting;
    synchronized (this) {
      isWaiting = !isAsked;
    }
    if (isWaiting) {
      late();
    }
  }

  private void late() {
    T answer;
    synchronized (this) {
      if (isOver) {
        return;
      }
      isOver = true;
      answer = isAsked ? null : last;
      if (isAsked) {
        silence.run();
      }
    }
    if (answer == null) {
      NoAnswerException none = new NoAnswerException("the store did not answer in time", null);
      retries.health().late(kind, start, none);
      end(null, none);
    } else {
      end(answer, null);
    }
  }

  private void end(@Nullable T answer, @Nullable Throwable failure) {
    if (deadline != null) {
      deadline.cancel();
    }
    if (answer != null) {
      result.complete(answer);
    } else {
      result.completeExceptionally(
          failure == null ? new IllegalStateException("no answer") : failure);
    }
  }
}
