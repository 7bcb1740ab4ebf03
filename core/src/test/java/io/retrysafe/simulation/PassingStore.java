// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A store that passes every call on to another one, which must be able to do as much. */
class PassingStore implements Store, Steps, Sweepable, Browsable, Resolvable {
  private final Store next;

  PassingStore(Store next) {
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
  public boolean release(Owner owner, LeaveAs how) {
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

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    return ((Steps) next).step(owner, name, result);
  }

  @Override
  public int largestSteps() {
    return ((Steps) next).largestSteps();
  }

  @Override
  public Swept sweep(int limit) {
    return ((Sweepable) next).sweep(limit);
  }

  @Override
  public Page browse(Query query) {
    return ((Browsable) next).browse(query);
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Word word) {
    return ((Resolvable) next).resolve(seen, token, word);
  }
}
