// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The contract of a flawed store. Named so that only {@link FlawedStoresTest} runs it. */
final class FlawedContract extends StoreContract {
  /** What the next run is about; null for a flawless store. */
  static volatile @Nullable Flaw flaw;

  @Override
  protected StoreFixture fixture() {
    ManualClock clock = new ManualClock();
    FlawedStore store = new FlawedStore(clock, flaw);
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

      /** Only for its flaw: nothing else here depends on open transactions. */
      @Override
      public Optional<Contention> contend(OperationKey key) {
        return flaw == Flaw.IGNORES_DEADLINES ? Optional.of(store.contend(key)) : Optional.empty();
      }

      @Override
      public boolean damage(OperationKey key) {
        return store.damage(key);
      }
    };
  }
}
