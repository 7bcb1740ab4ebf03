// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;

/** A store that both instances share, and whose time can be moved. */
public interface ContractStore extends AutoCloseable {

  /** Returns the store as an instance of its own sees it. */
  Store open();

  /** Moves the store's time on. */
  void advance(Duration time);

  @Override
  default void close() {}

  /** Returns a store in memory. */
  static ContractStore memory() {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    Store store = MemoryStore.builder().clock(now::get).build();
    return new ContractStore() {
      @Override
      public Store open() {
        return store;
      }

      @Override
      public void advance(Duration time) {
        now.updateAndGet(before -> before.plus(time));
      }
    };
  }
}
