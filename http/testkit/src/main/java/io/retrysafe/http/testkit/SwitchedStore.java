// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A store that falls silent, or takes its time to complete, for one account. */
final class SwitchedStore implements Store {
  private final Store store;
  private final Set<String> silent;
  private final ConcurrentHashMap<String, CountDownLatch> held;

  SwitchedStore(Store store, Set<String> silent, ConcurrentHashMap<String, CountDownLatch> held) {
    this.store = store;
    this.silent = silent;
    this.held = held;
  }

  private <T> T ask(OperationKey key, Supplier<T> call) {
    if (silent.contains(key.scope().account())) {
      throw new NoAnswerException("silent", null);
    }
    return call.get();
  }

  @Override
  public ClaimResult claim(Claim claim) {
    return ask(claim.key(), () -> store.claim(claim));
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    CountDownLatch latch = held.get(owner.key().scope().account());
    if (latch != null) {
      try {
        if (!latch.await(20, TimeUnit.SECONDS)) {
          throw new IllegalStateException("nobody let the completion go on");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new NoAnswerException("interrupted", e);
      }
    }
    return ask(owner.key(), () -> store.complete(owner, outcome, retention));
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return ask(owner.key(), () -> store.release(owner, how));
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return store.renew(owners, lease);
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return ask(key, () -> store.find(key));
  }

  @Override
  public Profile profile() {
    return store.profile();
  }
}
