// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.retrysafe.Outcome;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Phase;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Release;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** The queue of the record, behind the look for a copy. */
final class LayeredQueue implements Queued {
  /** More than any caller waits. */
  private static final Duration LONGEST = Duration.ofDays(1);

  private final Queued record;
  private final Near near;

  LayeredQueue(Queued record, Near near) {
    this.record = record;
    this.near = near;
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    long start = System.nanoTime();
    Duration time = CallDeadline.timeLeft(LONGEST);
    return near.find(claim.key(), blocking)
        .thenCompose(
            copy ->
                copy.isPresent()
                    ? completedFuture(new ClaimResult.Held(copy.get()))
                    : ask(claim, blocking, time.minusNanos(System.nanoTime() - start)));
  }

  /** Asks the record within the caller's deadline, which belongs to another thread perhaps. */
  private CompletionStage<ClaimResult> ask(Claim claim, Executor blocking, Duration time) {
    Duration left = time.isNegative() ? Duration.ZERO : time;
    Instant asked = near.now();
    return CallDeadline.within(left, System::nanoTime, () -> record.claim(claim, blocking))
        .thenApply(
            result -> {
              copyLater(result, asked, blocking);
              return result;
            });
  }

  /** Copies elsewhere: the record's other callers wait for this thread. */
  private void copyLater(ClaimResult result, Instant asked, Executor blocking) {
    if (result instanceof ClaimResult.Held held && held.entry().phase() == Phase.SETTLED) {
      try {
        blocking.execute(() -> near.copy(held.entry(), asked));
      } catch (RejectedExecutionException e) {
        // The caller is closing. A missing copy costs the next caller one look at the record.
      }
    }
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return record.complete(owner, outcome, retention, blocking);
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, Release how, Executor blocking) {
    return record.release(owner, how, blocking);
  }
}
