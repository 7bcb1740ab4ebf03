// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Decision;
import io.retrysafe.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The result of beginning a request, once it is decided. A cancellation goes to the engine, which
 * knows whether the wait can still be given up.
 */
final class BeginFuture extends CompletableFuture<BeginResult> {
  private final Plan.ReadBody plan;
  private @Nullable CompletableFuture<Decision> decision;
  private boolean isGivenUp;
  private boolean isAnswered;

  BeginFuture(Plan.ReadBody plan) {
    this.plan = plan;
  }

  Plan.ReadBody plan() {
    return plan;
  }

  /** Runs a part of the way to the decision. What that throws is the end of the way. */
  void run(Runnable part) {
    try {
      part.run();
    } catch (RefusedException e) {
      complete(new BeginResult.Answered(e.answer()));
    } catch (Throwable e) {
      completeExceptionally(e);
    }
  }

  /** Runs a part that may block where that is allowed, and goes on in the loop. */
  <T> void block(Supplier<T> part, EventLoop loop, Consumer<T> next) {
    loop.blocking()
        .execute(
            () ->
                run(
                    () -> {
                      T result = part.get();
                      resume(loop, () -> run(() -> next.accept(result)));
                    }));
  }

  /** Runs the work in the loop, or here if the loop has stopped: a caller must not wait forever. */
  private static void resume(EventLoop loop, Runnable work) {
    try {
      loop.itself().execute(work);
    } catch (RejectedExecutionException e) {
      work.run();
    }
  }

  /** Sets the decision that this future waits for. */
  void awaits(CompletableFuture<Decision> decision) {
    boolean isLate;
    synchronized (this) {
      this.decision = decision;
      isLate = isGivenUp;
    }
    if (isLate) {
      decision.cancel(false);
    }
  }

  /** Ends with {@code result}, after the check that the plan asks for. */
  void decided(BeginResult result) {
    synchronized (this) {
      isAnswered = result instanceof BeginResult.Answered;
    }
    CompletableFuture<BeginResult> unused =
        ReplayChecks.checked(plan, result)
            .toCompletableFuture()
            .whenComplete(
                (checked, failure) -> {
                  if (failure == null) {
                    complete(checked);
                  } else {
                    completeExceptionally(failure);
                  }
                });
  }

  /** Ends as cancelled, because the wait was given up. */
  void cancelled() {
    super.cancel(false);
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    CompletableFuture<Decision> awaited;
    synchronized (this) {
      isGivenUp = true;
      // Only the check of the answer is left, which may be given up.
      if (isAnswered) {
        return super.cancel(mayInterruptIfRunning);
      }
      awaited = decision;
    }
    return awaited != null && awaited.cancel(false);
  }

  /** Stages that depend on it are ordinary ones. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }
}
