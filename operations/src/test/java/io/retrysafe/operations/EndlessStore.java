// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** An empty store whose listings take many pages nevertheless, fifty times {@code listings}. */
final class EndlessStore implements Store, Browsable {
  private final Store empty = MemoryStore.create();
  private final int pages;

  EndlessStore(int listings) {
    this.pages = 50 * listings;
  }

  @Override
  public Page browse(Query query) {
    int page = query.cursor().map(Integer::parseInt).orElse(0) + 1;
    return new Page(List.of(), page < pages ? Optional.of("" + page) : Optional.empty());
  }

  @Override
  public ClaimResult claim(Claim claim) {
    return empty.claim(claim);
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    return empty.complete(owner, outcome, retention);
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return empty.release(owner, how);
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return empty.renew(owners, lease);
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return empty.find(key);
  }

  @Override
  public Profile profile() {
    return empty.profile();
  }
}
