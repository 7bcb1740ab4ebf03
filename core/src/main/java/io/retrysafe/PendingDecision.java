// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.LeaveAs;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A decision that a caller waits for. Cancelling it gives up waiting for others, who run the
 * operation or look up what became of it. While the store decides a claim, a cancellation is only
 * remembered: it takes effect if the caller has to wait after that, and a grant goes to the caller.
 */
final class PendingDecision extends CompletableFuture<Decision> {
  private final StoreCaller caller;
  private final BooleanSupplier mayWait;
  private boolean isWaiting;
  private boolean isGivenUp;

  PendingDecision(StoreCaller caller, BooleanSupplier mayWait) {
    this.caller = caller;
    this.mayWait = mayWait;
  }

  /** Decides as {@code decision} does, which the store is asked for. */
  void follow(CompletableFuture<Decision> decision) {
    CompletableFuture<Decision> unused =
        decision.whenComplete(
            (decided, failure) -> {
              if (failure == null) {
                decide(decided);
              } else {
                completeExceptionally(Futures.unwrapped(failure));
              }
            });
  }

  /** Ends the wait. An operation that is granted to a caller who left is released. */
  void decide(Decision decision) {
    if (!complete(decision) && decision instanceof Decision.Granted granted) {
      CompletableFuture<Ending> unused = granted.operation().leave(LeaveAs.FREE, caller);
    }
  }

  /** Tells the caller "in progress" without another look, from any thread. */
  void dismiss() {
    caller.resume(() -> complete(new Decision.InProgress(Claims.SOON)));
  }

  /** Tells the caller that the engine failed, from any thread. */
  void fail(Throwable failure) {
    caller.resume(() -> completeExceptionally(failure));
  }

  /**
   * Begins the wait for others, once.
   *
   * @return whether the caller waits; if it left, or must not wait, this is cancelled
   */
  boolean await() {
    synchronized (this) {
      if (isWaiting) {
        return !isDone();
      }
      isWaiting = true;
    }
    if (isGivenUp() || !mayWait.getAsBoolean()) {
      return !super.cancel(false);
    }
    return true;
  }

  private synchronized boolean isGivenUp() {
    return isGivenUp;
  }

  @Override
  public boolean cancel(boolean mayInterruptIfRunning) {
    synchronized (this) {
      isGivenUp = true;
      if (!isWaiting) {
        return false;
      }
    }
    return super.cancel(mayInterruptIfRunning);
  }

  /** Stages that depend on it are ordinary ones. */
  @Override
  public <U> CompletableFuture<U> newIncompleteFuture() {
    return new CompletableFuture<>();
  }
}
