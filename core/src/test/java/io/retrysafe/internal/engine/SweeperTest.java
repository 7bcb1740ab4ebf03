// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Event;
import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.TestEngines;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Sweepable.Swept;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SweeperTest {
  private final ManualRuntime runtime = new ManualRuntime();
  private final MemoryStore store = MemoryStore.builder().clock(runtime).build();
  private final List<Event> events = new ArrayList<>();

  private Retrysafe engine(Duration sweepEvery) {
    return TestEngines.builder(store, runtime).listener(events::add).sweepEvery(sweepEvery).build();
  }

  @Test
  void whatExpiredIsRemovedWithoutBeingAsked() {
    Retrysafe engine = engine(Duration.ofMinutes(1));
    for (int i = 0; i < 1200; i++) {
      granted(engine.begin(OperationKey.of(KEY.scope(), "order-" + i), PRINT)).complete(text("x"));
    }
    runtime.advance(Duration.ofHours(24).plusMinutes(2));

    assertThat(store.sweep(10)).isEqualTo(new Swept(0, List.of()));
  }

  @Test
  void sweepingRestsTwiceAsLongAsItWorksUntilLittleIsLeft() {
    AtomicInteger left = new AtomicInteger(200_000);
    Sweepable slow = slow(left);
    sweeper(slow, runtime).start();

    runtime.advance(Duration.ofSeconds(46));
    int early = left.get();
    runtime.advance(Duration.ofSeconds(14));

    // It begins after 45 s; in each of the 15 s that follow there are 33 times 10 ms of work.
    assertThat(early).isBetween(182_000, 184_000);
    assertThat(left).hasValue(0);
  }

  @Test
  void aSweeperThatDoesNotCatchUpRestsLessAndLess() {
    AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    sweeper(slow(left), runtime).start();
    runtime.advance(Duration.ofSeconds(45));

    // Work of 10 ms with a rest of 20, of 10, of 5, and of 2.5 ms from then on.
    assertThat(sweptInAMinute(left)).isBetween(990_000, 1_010_000);
    assertThat(sweptInAMinute(left)).isBetween(1_490_000, 1_510_000);
    assertThat(sweptInAMinute(left)).isBetween(1_990_000, 2_010_000);
    assertThat(sweptInAMinute(left)).isBetween(2_380_000, 2_420_000);
    assertThat(sweptInAMinute(left)).isBetween(2_380_000, 2_420_000);

    left.set(0);
    runtime.advance(Duration.ofMinutes(2));
    left.set(Integer.MAX_VALUE);
    runtime.advance(Duration.ofMinutes(1));
    left.set(Integer.MAX_VALUE);
    assertThat(sweptInAMinute(left)).as("once it has caught up").isLessThan(1_510_000);
  }

  private int sweptInAMinute(AtomicInteger left) {
    int before = left.get();
    runtime.advance(Duration.ofMinutes(1));
    return before - left.get();
  }

  /** Takes 10 ms for whatever it removes. */
  private Sweepable slow(AtomicInteger left) {
    return limit -> {
      runtime.pause(Duration.ofMillis(10));
      int some = Math.min(limit, left.get());
      left.addAndGet(-some);
      return new Swept(some, List.of());
    };
  }

  @Test
  void anOperationThatEndsWithoutAnOutcomeIsAnnounced() {
    Retrysafe engine = engine(Duration.ofMinutes(1));
    granted(engine.begin(KEY, PRINT)).unknown();

    runtime.advance(Duration.ofDays(30).minusSeconds(1));
    assertThat(events).extracting(Event::kind).doesNotContain(Event.Kind.EXPIRED_UNSETTLED);
    runtime.advance(Duration.ofMinutes(2));

    assertThat(events).contains(new Event(Event.Kind.EXPIRED_UNSETTLED, KEY, 1, ""));
  }

  @Test
  void aListenerThatFailsChangesNothing() {
    List<Event> after = new ArrayList<>();
    Retrysafe engine =
        TestEngines.builder(store, runtime)
            .listener(
                event -> {
                  throw new IllegalStateException("a listener that fails");
                })
            .listener(after::add)
            .build();

    granted(engine.begin(KEY, PRINT)).complete(text("x"));

    assertThat(after)
        .extracting(Event::kind)
        .containsExactly(Event.Kind.CLAIMED, Event.Kind.COMPLETED);
  }

  @Test
  void sweepingCanBeLeftToSomebodyElse() {
    Retrysafe engine = engine(Duration.ZERO);
    granted(engine.begin(KEY, PRINT)).complete(text("x"));
    runtime.advance(Duration.ofDays(2));

    assertThat(store.sweep(10).removed()).isEqualTo(1);
  }

  @Test
  void sweepingStopsWithTheEngine() {
    Retrysafe engine = engine(Duration.ofMinutes(1));
    granted(engine.begin(KEY, PRINT)).complete(text("x"));
    engine.close();
    runtime.advance(Duration.ofDays(2));

    assertThat(store.sweep(10).removed()).isEqualTo(1);
  }

  private static Sweeper sweeper(Sweepable store, EngineRuntime runtime) {
    Events events = new Events(List.of(), null);
    Duration deadline = Duration.ofSeconds(2);
    StoreHealth health = new StoreHealth(runtime, events, "slow", deadline);
    return new Sweeper(
        store, new StoreRetries(runtime, deadline, health), events, Duration.ofMinutes(1));
  }
}
