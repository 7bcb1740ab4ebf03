// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A store that passes the calls which every store has on to another one. */
public class PlainStore implements Store {
  private final Store next;

  protected PlainStore(Store next) {
    this.next = next;
  }

  @Override
  public ClaimResult claim(Claim claim) {
    return next.claim(claim);
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    return next.complete(owner, outcome, retention);
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return next.release(owner, how);
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return next.renew(owners, lease);
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return next.find(key);
  }

  @Override
  public Profile profile() {
    return next.profile();
  }
}
