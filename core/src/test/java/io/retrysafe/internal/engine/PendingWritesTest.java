// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Decision;
import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.Listener;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Retrysafe;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.TestEngines;
import io.retrysafe.internal.engine.FlakyStore.Fault;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is pending while the store is silent, and what becomes of it. */
class PendingWritesTest {
  private static final Duration QUICK = Duration.ofMillis(1);

  private final EngineWorld world = new EngineWorld();
  private final List<String> outages = new ArrayList<>();
  private final Retrysafe engine = engine(1 << 20);

  private Retrysafe engine(long pendingMemory) {
    return TestEngines.builder(world.store, world.runtime)
        .storeDeadline(QUICK)
        .pendingMemory(pendingMemory)
        .listener(world.events::add)
        .listener(new Outages())
        .build();
  }

  private final class Outages implements Listener {
    @Override
    public void on(Event event) {}

    @Override
    public void onOutage(String description) {
      outages.add(description);
    }

    @Override
    public void onOutageEnd(String description, Duration lasted) {
      outages.add(description + " after " + lasted.toSeconds() + " s");
    }
  }

  private static OperationKey key(String name, int i) {
    return OperationKey.of(KEY.scope(), name + i);
  }

  private List<ClaimedOperation> begun(int count) {
    List<ClaimedOperation> operations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      operations.add(granted(engine.begin(key("order-", i), PRINT)));
    }
    return operations;
  }

  private static Ending complete(ClaimedOperation operation) {
    return operation.complete(text("receipt of " + operation.key().value()));
  }

  private void pending(ClaimedOperation operation) {
    assertThatThrownBy(() -> complete(operation))
        .isInstanceOfSatisfying(
            StoreUnavailableException.class, e -> assertThat(e.workRan()).isTrue());
  }

  private void failing(int claims) {
    for (int i = 0; i < claims; i++) {
      OperationKey key = key("failing-", i);
      assertThatThrownBy(() -> engine.begin(key, PRINT))
          .isInstanceOf(StoreUnavailableException.class);
    }
  }

  private Optional<Outcome> outcome(OperationKey key) {
    return world.store.behind().find(key).flatMap(Entry::outcome);
  }

  @Test
  void everyFinishedOperationIsSettledWithItsOutcomeHoweverManyClaimsFail() {
    List<ClaimedOperation> operations = begun(100);
    world.store.cut();
    failing(5_000);
    operations.forEach(this::pending);
    failing(5_000);
    world.runtime.advance(Duration.ofSeconds(10));
    world.store.heal();

    world.runtime.advance(Duration.ofSeconds(2));

    for (ClaimedOperation operation : operations) {
      assertThat(outcome(operation.key())).contains(text("receipt of " + operation.key().value()));
    }
    assertThat(world.kinds()).doesNotContain(Event.Kind.DROPPED, Event.Kind.LOST_CLAIM);
  }

  @Test
  void claimsThatFailedAreUndoneManyAtATime() {
    world.store.plan("claim", Fault.LOST_ANSWER, 2_000);
    failing(1_000);
    assertThat(world.store.behind().find(key("failing-", 0))).isPresent();
    world.store.heal();
    long before = world.store.calls("renew");

    world.runtime.advance(Duration.ofSeconds(1));

    for (int i = 0; i < 1_000; i++) {
      assertThat(world.store.behind().find(key("failing-", i))).isEmpty();
    }
    assertThat(world.store.calls("renew") - before).isLessThanOrEqualTo(12);
    world.runtime.advance(world.store.profile().callTimeout());
    assertThat(world.store.calls("renew") - before).as("once more").isLessThanOrEqualTo(24);
  }

  @Test
  void aSilentStoreIsAskedAboutOnceASecondHoweverMuchIsPending() {
    List<ClaimedOperation> operations = begun(200);
    world.store.cut();
    operations.forEach(this::pending);
    world.runtime.advance(Duration.ofSeconds(3));
    long before = world.store.calls("complete");

    world.runtime.advance(Duration.ofSeconds(20));

    assertThat(world.store.calls("complete") - before).isBetween(10L, 50L);
  }

  @Test
  void oneOutcomeThatIsNeverTakenHoldsUpNoOther() {
    List<ClaimedOperation> operations = begun(50);
    world.store.cut();
    operations.forEach(this::pending);
    world.store.heal();
    Owner poisoned = operations.get(0).owner();
    world.store.breakFor(poisoned);

    world.runtime.advance(Duration.ofSeconds(5));

    for (ClaimedOperation operation : operations.subList(1, 50)) {
      assertThat(outcome(operation.key())).isPresent();
    }
    assertThat(outcome(poisoned.key())).isEmpty();
    world.store.heal();
    world.runtime.advance(Duration.ofSeconds(2));
    assertThat(outcome(poisoned.key())).isPresent();
  }

  @Test
  void whatFindsNoRoomIsRecordedWithoutItsAnswerAndThenNotAtAllAndBothAreSaid() {
    Retrysafe small = engine(2 * PendingWrites.OVERHEAD + 100);
    Outcome large = text("x".repeat(5_000));
    List<ClaimedOperation> operations = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      operations.add(granted(small.begin(key("order-", i), PRINT)));
    }
    world.store.cut();
    for (int i = 0; i < 2; i++) {
      ClaimedOperation operation = operations.get(i);
      assertThatThrownBy(() -> operation.complete(large))
          .isInstanceOf(StoreUnavailableException.class);
    }
    assertThat(operations.get(2).complete(large)).isEqualTo(new Ending.Lost());

    Map<String, Integer> dropped = new HashMap<>();
    world.events.stream()
        .filter(event -> event.kind() == Event.Kind.DROPPED)
        .forEach(event -> dropped.merge(event.detail(), 1, Integer::sum));
    assertThat(dropped).isEqualTo(Map.of("the answer", 2, "the outcome", 1));
    world.store.heal();
    world.runtime.advance(Duration.ofMinutes(1));
    assertThat(outcome(key("order-", 0))).contains(large.withoutAnswer());
    assertThat(outcome(key("order-", 1))).contains(large.withoutAnswer());
    assertThat(world.store.behind().find(key("order-", 2)).map(Entry::state))
        .contains(State.UNKNOWN);
    // There is room again.
    ClaimedOperation next = granted(small.begin(key("order-", 4), PRINT));
    world.store.cut();
    assertThatThrownBy(() -> next.complete(large)).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void anOutageIsReportedOnceAndItsEndOnce() {
    begun(1);
    world.runtime.advance(Duration.ofSeconds(1));
    world.store.cut();
    failing(10);
    world.runtime.advance(Duration.ofSeconds(5));
    failing(100);
    assertThat(outages).containsExactly("the store flaky does not answer: cut off");
    world.store.heal();
    world.runtime.advance(Duration.ofSeconds(5));
    granted(engine.begin(key("again-", 1), PRINT));

    assertThat(outages).hasSize(2);
    assertThat(outages.get(1)).startsWith("the store flaky answers again after ");
  }

  @Test
  void aStoreThatRefusesWritesIsReportedOnceAlthoughItAnswers() {
    ClaimedOperation settled = granted(engine.begin(KEY, PRINT));
    settled.complete(text("receipt"));
    world.runtime.advance(Duration.ofSeconds(1));
    for (int i = 0; i < 20; i++) {
      world.store.plan("claim", Fault.REFUSED, 1);
      OperationKey key = key("refused-", i);
      assertThatThrownBy(() -> engine.begin(key, PRINT))
          .isInstanceOf(StoreUnavailableException.class);
      assertThat(engine.begin(KEY, PRINT)).isInstanceOf(Decision.Replay.class);
      world.runtime.advance(Duration.ofMillis(100));
    }
    assertThat(outages).containsExactly("the store flaky refuses writes: refused as planned");
    granted(engine.begin(key("accepted-", 1), PRINT));

    assertThat(outages).hasSize(2);
    assertThat(outages.get(1)).startsWith("the store flaky accepts writes again after ");
  }

  @Test
  void oneCallThatGetsNoAnswerWhileOthersDoIsNoOutage() {
    for (int i = 0; i < 20; i++) {
      world.store.plan("claim", Fault.LOST_CALL, 2);
      OperationKey key = key("locked-", i);
      assertThatThrownBy(() -> engine.begin(key, PRINT))
          .isInstanceOf(StoreUnavailableException.class);
      world.store.heal();
      granted(engine.begin(key("fine-", i), PRINT));
      world.runtime.advance(Duration.ofMillis(100));
    }
    assertThat(outages).isEmpty();
  }
}
