// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.Metered;
import io.retrysafe.store.memory.MemoryStore;
import java.util.Set;

/** The contract on a memory store that counts wrongly. Only run by {@link ContractRun}. */
final class FlawedMeteringContract extends StoreContract {
  static Flaw flaw = Flaw.NONE;

  /** A mistake in counting. */
  enum Flaw {
    NONE,
    COUNTS_NOTHING,
    IGNORES_BYTES,
    IGNORES_NUMBERS,
    NAMES_EVERYBODY
  }

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore memory = MemoryStore.builder().clock(clock).build();
    Metered metered =
        (entries, bytes) ->
            switch (flaw) {
              case NONE -> memory.usage(entries, bytes);
              case COUNTS_NOTHING -> new Metered.Usage(0, 0, Set.of());
              case IGNORES_BYTES -> memory.usage(entries, Long.MAX_VALUE);
              case IGNORES_NUMBERS -> memory.usage(Long.MAX_VALUE, bytes);
              case NAMES_EVERYBODY -> memory.usage(1, 1);
            };
    return Decorated.fixture(
        "metering-" + flaw.name(), Decorated.with(memory, Metered.class, metered), clock);
  }
}
