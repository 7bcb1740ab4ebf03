// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;

// snippet:contract
final class MemoryStoreContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore store = MemoryStore.builder().clock(clock).build();
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
// end
