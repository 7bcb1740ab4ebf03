// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Bytes;
import io.retrysafe.internal.engine.PlainStore;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Token;

/** A store that passes every call on to another one, which must be able to do as much. */
class PassingStore extends PlainStore implements Steps, Sweepable, Browsable, Resolvable {
  private final Store next;

  PassingStore(Store next) {
    super(next);
    this.next = next;
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    return next.capability(Steps.class).orElseThrow().step(owner, name, result);
  }

  @Override
  public int largestSteps() {
    return next.capability(Steps.class).orElseThrow().largestSteps();
  }

  @Override
  public Swept sweep(int limit) {
    return next.capability(Sweepable.class).orElseThrow().sweep(limit);
  }

  @Override
  public Page browse(Query query) {
    return next.capability(Browsable.class).orElseThrow().browse(query);
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Resolution resolution) {
    return next.capability(Resolvable.class).orElseThrow().resolve(seen, token, resolution);
  }
}
