// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Outcome;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** A store with a queue that is worked off at once, unless it hangs. */
final class QueuedStore extends PlainStore implements Queued {
  private final List<Runnable> hanging = new ArrayList<>();
  private boolean isHanging;
  private Duration timeLeft = Duration.ZERO;

  QueuedStore(Store store) {
    super(store);
  }

  /** Makes a call that gets no answer until it {@linkplain #land lands}. */
  <T> T hanging(Supplier<T> call) {
    isHanging = true;
    try {
      return call.get();
    } finally {
      isHanging = false;
    }
  }

  void land() {
    hanging.forEach(Runnable::run);
    hanging.clear();
  }

  /** Returns how much time the last call had. */
  Duration timeLeft() {
    return timeLeft;
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return once(() -> claim(claim));
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return once(() -> complete(owner, outcome, retention));
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, Release how, Executor blocking) {
    return once(() -> release(owner, how));
  }

  private <T> CompletionStage<T> once(Supplier<T> call) {
    timeLeft = CallDeadline.timeLeft(Duration.ofDays(1));
    Executor executor = isHanging ? hanging::add : Runnable::run;
    return CompletableFuture.supplyAsync(call, executor);
  }
}
