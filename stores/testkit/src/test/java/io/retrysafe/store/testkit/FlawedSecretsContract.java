// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;

/** The contract on a memory store with secrets of its own. Only run by {@link ContractRun}. */
final class FlawedSecretsContract extends StoreContract {
  static FlawedSecrets.Flaw flaw = FlawedSecrets.Flaw.NONE;

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore memory = MemoryStore.builder().clock(clock).build();
    Store store =
        Decorated.with(memory, io.retrysafe.store.Secrets.class, new FlawedSecrets(flaw, clock));
    return Decorated.fixture("secrets-" + flaw.name(), store, clock);
  }
}
