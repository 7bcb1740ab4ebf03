// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.LAPSE;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.TestEngines;
import io.retrysafe.internal.engine.FlakyStore.Fault;
import io.retrysafe.store.State;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HeartbeatTest {
  private final EngineWorld world = new EngineWorld();
  private final Retrysafe engine = world.engine;

  @Test
  void aLeaseIsRenewedWhileTheWorkRuns() {
    granted(engine.begin(KEY, PRINT));

    world.runtime.advance(Duration.ofMinutes(5));

    assertThat(world.state()).contains(State.IN_PROGRESS);
  }

  @Test
  void manyLeasesAreRenewedByBoundedCallsAndOneWithoutAnAnswerHoldsUpNoOther() {
    int count = 2 * Heartbeat.AT_ONCE + 1;
    Retrysafe impatient =
        TestEngines.builder(world.store, world.runtime)
            .listener(world.events::add)
            .storeDeadline(Duration.ofMillis(1))
            .build();
    for (int i = 0; i < count; i++) {
      granted(impatient.begin(OperationKey.of(KEY.scope(), "order-" + i), PRINT));
    }
    world.store.plan("renew", Fault.LOST_CALL, 1);

    world.runtime.advance(Duration.ofSeconds(10));
    assertThat(world.kinds()).containsOnlyOnce(Event.Kind.UNAVAILABLE);
    assertThat(renewed(count)).as("the others").isEqualTo(count - Heartbeat.AT_ONCE);
    long before = world.store.calls("renew");
    world.runtime.advance(Duration.ofSeconds(2));

    assertThat(renewed(count)).isEqualTo(count);
    assertThat(world.store.calls("renew") - before).as("tried again alone").isEqualTo(1);
    world.runtime.advance(Duration.ofMinutes(2));
    assertThat(renewed(count)).isEqualTo(count);
  }

  private long renewed(int count) {
    return java.util.stream.IntStream.range(0, count)
        .mapToObj(i -> world.store.behind().find(OperationKey.of(KEY.scope(), "order-" + i)))
        .flatMap(java.util.Optional::stream)
        .filter(entry -> entry.leaseLeft().compareTo(Duration.ofSeconds(25)) > 0)
        .count();
  }

  @Test
  void oneRenewalServesAllOperationsOfALease() {
    for (int i = 0; i < 50; i++) {
      granted(engine.begin(OperationKey.of(KEY.scope(), "order-" + i), PRINT));
    }

    world.runtime.advance(Duration.ofSeconds(10));

    assertThat(world.store.calls("renew")).isEqualTo(1);
  }

  @Test
  void leasesOfDifferentLengthsAreRenewedInTime() {
    Policy shortLease = Policy.create().lease(Duration.ofSeconds(3));
    OperationKey other = OperationKey.of(KEY.scope(), "short");
    granted(engine.begin(KEY, PRINT));
    granted(engine.begin(other, PRINT, shortLease));

    world.runtime.advance(Duration.ofMinutes(1));

    assertThat(world.state()).contains(State.IN_PROGRESS);
    assertThat(world.store.behind().find(other).orElseThrow().state()).isEqualTo(State.IN_PROGRESS);
  }

  @Test
  void theHeartStopsWithTheLastOperationAndStartsAgain() {
    granted(engine.begin(KEY, PRINT)).complete(text("receipt"));
    world.runtime.advance(Duration.ofMinutes(5));
    assertThat(world.store.calls("renew")).isZero();

    OperationKey other = OperationKey.of(KEY.scope(), "other");
    granted(engine.begin(other, PRINT));
    world.runtime.advance(Duration.ofMinutes(5));
    assertThat(world.store.behind().find(other).orElseThrow().state()).isEqualTo(State.IN_PROGRESS);
  }

  @Test
  void workThatHangsIsUnknownInTheEnd() {
    Policy policy = Policy.create().maxRunning(Duration.ofMinutes(2));
    Operation hung = granted(engine.begin(KEY, PRINT, policy));

    world.runtime.advance(Duration.ofMinutes(2).plus(LAPSE));

    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(world.kinds()).containsExactly(Event.Kind.CLAIMED, Event.Kind.OVERRUN);
    assertThat(hung.complete(text("at last"))).isEqualTo(new Ending.Recorded(text("at last")));
  }

  @Test
  void anOwnerThatWasTakenOverIsToldSo() {
    Operation slow = granted(engine.begin(KEY, PRINT));
    world.store.plan("renew", Fault.LOST_CALL, 10_000);
    world.runtime.advance(LAPSE);
    Policy rerun = Policy.create().recovery(Recovery.rerun());
    granted(world.engine(rerun).begin(KEY, PRINT)).complete(text("second"));
    world.store.heal();

    world.runtime.advance(Duration.ofSeconds(10));

    assertThat(slow.isCurrent()).isFalse();
    assertThat(world.kinds()).contains(Event.Kind.UNAVAILABLE).endsWith(Event.Kind.LOST_CLAIM);
    assertThat(slow.complete(text("first"))).isEqualTo(new Ending.Superseded(text("second")));
    assertThat(world.kinds().stream().filter(Event.Kind.LOST_CLAIM::equals)).hasSize(1);
  }

  @Test
  void aSilentStoreDoesNotStopTheHeart() {
    granted(engine.begin(KEY, PRINT));
    world.store.plan("renew", Fault.LOST_CALL, 1);
    world.store.plan("renew", Fault.REFUSED, 1);

    world.runtime.advance(Duration.ofMinutes(1));

    assertThat(world.state()).contains(State.IN_PROGRESS);
  }
}
