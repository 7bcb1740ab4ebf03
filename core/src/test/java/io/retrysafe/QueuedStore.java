// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** A store with a queue that is worked off at once. */
final class QueuedStore extends PlainStore implements Queued {
  QueuedStore(Store store) {
    super(store);
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

  private static <T> CompletionStage<T> once(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, Runnable::run);
  }
}
