// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.memory.MemoryStore;

/** The contract on a memory store with a history of its own. Only run by {@link ContractRun}. */
final class FlawedHistoryContract extends StoreContract {
  static FlawedHistory.Flaw flaw = FlawedHistory.Flaw.NONE;

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore memory = MemoryStore.builder().clock(clock).build();
    return Decorated.fixture(
        "history-" + flaw.name(),
        Decorated.with(memory, io.retrysafe.store.History.class, new FlawedHistory(memory, flaw)),
        clock);
  }
}
