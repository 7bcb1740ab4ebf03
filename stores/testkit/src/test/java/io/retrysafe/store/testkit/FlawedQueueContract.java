// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.Queued;
import io.retrysafe.store.memory.MemoryStore;

/** The contract on a memory store with a queue. Only run by {@link ContractRun}. */
final class FlawedQueueContract extends StoreContract {
  static FlawedQueue.Flaw flaw = FlawedQueue.Flaw.NONE;

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore memory = MemoryStore.builder().clock(clock).build();
    return Decorated.fixture(
        "queue-" + flaw.name(),
        Decorated.with(memory, Queued.class, new FlawedQueue(memory, flaw)),
        clock);
  }
}
