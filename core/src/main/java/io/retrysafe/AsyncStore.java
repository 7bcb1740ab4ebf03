// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Immediate;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The store for callers that must not be held. An immediate store is called in the caller's thread,
 * a store with a queue through that, and any other store in a thread that may block.
 */
final class AsyncStore {
  /** More than any caller waits. */
  private static final Duration LONGEST = Duration.ofDays(1);

  private final Store store;
  private final Seam seam;
  private final boolean isImmediate;
  private final @Nullable Queued queue;

  AsyncStore(Store store, Seam seam) {
    this.store = store;
    this.seam = seam;
    this.isImmediate = store.capability(Immediate.class).isPresent();
    this.queue = isImmediate ? null : store.capability(Queued.class).orElse(null);
  }

  CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return queue == null ? call(() -> store.claim(claim), blocking) : queue.claim(claim, blocking);
  }

  CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return queue == null
        ? call(() -> store.complete(owner, outcome, retention), blocking)
        : queue.complete(owner, outcome, retention, blocking);
  }

  CompletionStage<Boolean> release(Owner owner, LeaveAs how, Executor blocking) {
    return queue == null
        ? call(() -> store.release(owner, how), blocking)
        : queue.release(owner, how, blocking);
  }

  CompletionStage<Optional<Entry>> find(OperationKey key, Executor blocking) {
    return call(() -> store.find(key), blocking);
  }

  private <T> CompletionStage<T> call(Supplier<T> call, Executor blocking) {
    if (isImmediate) {
      return Futures.of(() -> CompletableFuture.completedFuture(call.get()));
    }
    long asked = seam.nanos();
    Duration time = CallDeadline.timeLeft(LONGEST);
    CompletableFuture<T> answer = new CompletableFuture<>();
    blocking.execute(
        () ->
            Futures.forward(
                Futures.of(() -> CompletableFuture.completedFuture(within(asked, time, call))),
                answer));
    return answer;
  }

  /**
   * Makes a call in the time that is left of its caller's after it waited for a thread. A call that
   * has none left is not made: a claim that lands so late would not be undone.
   */
  private <T> T within(long asked, Duration time, Supplier<T> call) {
    Duration left = time.minusNanos(seam.nanos() - asked);
    if (left.isNegative() || left.isZero()) {
      throw new NoAnswerException("no thread was free to ask the store in time", null);
    }
    return CallDeadline.within(left, seam::nanos, call);
  }
}
