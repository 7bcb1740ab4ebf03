// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;
import java.time.Duration;

/** The contract with copies in this process, which is why the second client is the first one. */
final class MemoryCopiesContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore record = MemoryStore.builder().clock(clock).build();
    LayeredStore store =
        LayeredStore.builder(record, MemoryCopies.create(1 << 20, clock)).clock(clock).build();
    return new StoreFixture() {
      @Override
      public Store store() {
        return store;
      }

      @Override
      public Store secondClient() {
        return store;
      }

      @Override
      public void advance(Duration time) {
        clock.advance(time);
      }
    };
  }
}
