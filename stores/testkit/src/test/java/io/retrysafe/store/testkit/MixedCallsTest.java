// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class MixedCallsTest {
  private static final Scope SCOPE = Scope.of("merchant", "charge");

  private static OperationKey freshKey() {
    return OperationKey.of(SCOPE, UUID.randomUUID().toString());
  }

  private static StoreFixture fixture(Store store, ManualClock clock) {
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

  @Test
  void aStoreBehindASlowNetworkPasses() {
    ManualClock clock = new ManualClock();
    MemoryStore memory = MemoryStore.builder().clock(clock).build();
    try (LossyStore slow = new LossyStore(memory, 0)) {
      new MixedCalls(fixture(slow, clock), 1, 40, MixedCallsTest::freshKey).run();
    }
  }

  @Test
  void aStoreWhoseAnswersGetLostPasses() {
    ManualClock clock = new ManualClock();
    MemoryStore memory = MemoryStore.builder().clock(clock).build();
    try (LossyStore lossy = new LossyStore(memory, 12)) {
      Map<String, Integer> answers =
          new MixedCalls(fixture(lossy, clock), 2, 40, MixedCallsTest::freshKey).run();

      assertThat(answers).containsKeys("ClaimCall unanswered", "ReleaseCall unanswered");
    }
  }

  @Test
  void aFailureTellsTheSeedAndTheHistory() {
    ManualClock clock = new ManualClock();
    Store flawed = new FlawedStore(clock, Flaw.COMPLETES_FOR_ANY_TOKEN);

    assertThatThrownBy(
            () -> new MixedCalls(fixture(flawed, clock), 77, 60, MixedCallsTest::freshKey).run())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("seed 77")
        .hasMessageContaining("Complete[token=")
        .hasMessageContaining("-> Granted[attempt=1");
  }
}
