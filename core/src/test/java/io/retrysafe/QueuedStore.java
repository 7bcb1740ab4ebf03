// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** A store with a queue that is worked off at once. */
final class QueuedStore implements Store, Queued {
  private final Store store;

  QueuedStore(Store store) {
    this.store = store;
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return once(() -> store.claim(claim));
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return once(() -> store.complete(owner, outcome, retention));
  }

  private static <T> CompletionStage<T> once(Supplier<T> call) {
    return CompletableFuture.supplyAsync(call, Runnable::run);
  }

  @Override
  public ClaimResult claim(Claim claim) {
    return store.claim(claim);
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    return store.complete(owner, outcome, retention);
  }

  @Override
  public boolean release(Owner owner, LeaveAs how) {
    return store.release(owner, how);
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return store.renew(owners, lease);
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return store.find(key);
  }

  @Override
  public Profile profile() {
    return store.profile();
  }
}
