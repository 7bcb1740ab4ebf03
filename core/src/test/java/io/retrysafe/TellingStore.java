// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Store;
import io.retrysafe.store.Wakeups;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A store that tells of ends when the test says so, and which keys somebody wants to know of. */
final class TellingStore implements Store, Wakeups {
  private final Store store;
  private final Map<OperationKey, Runnable> watched = new HashMap<>();

  TellingStore(Store store) {
    this.store = store;
  }

  Set<OperationKey> watched() {
    return watched.keySet();
  }

  void tell(OperationKey key) {
    watched.getOrDefault(key, () -> {}).run();
  }

  @Override
  public Watch watch(OperationKey key, Runnable wake) {
    if (watched.put(key, wake) != null) {
      throw new IllegalStateException("one watch is enough for all who wait here");
    }
    return () -> watched.remove(key);
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
