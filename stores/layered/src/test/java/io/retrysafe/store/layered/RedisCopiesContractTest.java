// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import io.retrysafe.store.testkit.StoreContract;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.time.Duration;

/** The contract with copies in Redis, which both clients share. */
final class RedisCopiesContractTest extends StoreContract {

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    MemoryStore record = MemoryStore.builder().clock(clock).build();
    RedisServer server = RedisServer.start(Aof.OFF);
    LayeredStore store = Nears.redis(record, server, clock);
    LayeredStore second = Nears.redis(record, server, clock);
    return new StoreFixture() {
      @Override
      public Store store() {
        return store;
      }

      @Override
      public Store secondClient() {
        return second;
      }

      @Override
      public void advance(Duration time) {
        clock.advance(time);
      }

      @Override
      public void close() {
        store.close();
        second.close();
        server.close();
      }
    };
  }
}
