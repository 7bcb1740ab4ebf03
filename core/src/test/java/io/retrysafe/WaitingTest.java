// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static io.retrysafe.EngineWorld.KEY;
import static io.retrysafe.EngineWorld.LAPSE;
import static io.retrysafe.EngineWorld.PRINT;
import static io.retrysafe.EngineWorld.granted;
import static io.retrysafe.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.FlakyStore.Fault;
import io.retrysafe.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class WaitingTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Policy PATIENT = Policy.create().waitUpTo(LONG);

  private final EngineWorld world = new EngineWorld();
  private final Retrysafe engine = world.engine;

  @Test
  void aWaitingDuplicateIsWokenAtOnceInTheSameEngine() {
    Operation running = granted(engine.begin(KEY, PRINT));
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    world.seam.advance(Duration.ofSeconds(5));
    assertThat(waiting).isNotDone();
    long before = world.store.calls("claim");

    running.complete(text("receipt"));
    world.seam.advance(Duration.ZERO);

    assertThat(waiting).isCompletedWithValue(new Decision.Replay(text("receipt")));
    assertThat(world.store.calls("claim")).isEqualTo(before + 1);
  }

  @Test
  void aWaitingDuplicateSeesTheEndOfAnotherProcessByAsking() {
    Operation running = granted(world.engine(Policy.create()).begin(KEY, PRINT));
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    running.complete(text("receipt"));
    assertThat(waiting).isNotDone();

    world.seam.advance(Duration.ofSeconds(1));

    assertThat(waiting).isCompletedWithValue(new Decision.Replay(text("receipt")));
  }

  @Test
  void aWaitingDuplicateIsWokenByAStoreThatTells() {
    TellingStore telling = new TellingStore(world.store);
    Retrysafe told = Retrysafe.builder(telling).seam(world.seam).build();
    Operation elsewhere = granted(engine.begin(KEY, PRINT));
    CompletableFuture<Decision> first = told.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    CompletableFuture<Decision> second = told.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    world.seam.advance(Duration.ofSeconds(5));
    assertThat(telling.watched()).containsExactly(KEY);

    elsewhere.complete(text("receipt"));
    telling.tell(KEY);
    world.seam.advance(Duration.ZERO);

    assertThat(first).isCompletedWithValue(new Decision.Replay(text("receipt")));
    assertThat(second).isCompletedWithValue(new Decision.Replay(text("receipt")));
    assertThat(telling.watched()).isEmpty();
  }

  @Test
  void pausesBetweenQuestionsGrowToASecond() {
    granted(world.engine(Policy.create()).begin(KEY, PRINT));
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);

    world.seam.advance(Duration.ofSeconds(1));
    long early = world.store.calls("claim");
    assertThat(early).isBetween(5L, 10L);
    world.seam.advance(Duration.ofSeconds(20));
    assertThat(world.store.calls("claim") - early).isBetween(20L, 32L);
    assertThat(waiting).isNotDone();
  }

  @Test
  void aBlockingCallerWaitsAndGivesUpAfterItsTime() {
    granted(engine.begin(KEY, PRINT));
    long start = world.seam.nanos();

    assertThat(engine.begin(KEY, PRINT, PATIENT)).isInstanceOf(Decision.InProgress.class);

    assertThat(Duration.ofNanos(world.seam.nanos() - start)).isEqualTo(LONG);
    assertThat(world.state()).contains(State.IN_PROGRESS);
  }

  @Test
  void aWaiterRunsWhatTheOwnerReleased() {
    Operation running = granted(engine.begin(KEY, PRINT));
    List<CompletableFuture<Decision>> waiting = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      waiting.add(engine.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP));
    }

    running.release();
    world.seam.advance(Duration.ZERO);

    assertThat(waiting.stream().filter(CompletableFuture::isDone)).hasSize(1);
    assertThat(granted(waiting.get(0).join()).attempt()).isEqualTo(1);
  }

  @Test
  void aWaiterTakesOverALapsedOperation() {
    Policy rerun = PATIENT.recovery(Recovery.rerun());
    world.claimedByACrashedProcess(rerun);
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, rerun, EngineWorld.LOOP);

    world.seam.advance(LAPSE);

    assertThat(granted(waiting.join()).attempt()).isEqualTo(2);
  }

  @Test
  void aWaiterIsToldUnknownAsSoonAsItIs() {
    Operation running = granted(engine.begin(KEY, PRINT));
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);

    running.unknown();
    world.seam.advance(Duration.ZERO);

    assertThat(waiting).isCompletedWithValue(new Decision.OutcomeUnknown());
  }

  @Test
  void onlySoManyMayWait() {
    Retrysafe small =
        Retrysafe.builder(world.store)
            .seam(world.seam)
            .waiters(2)
            .sweepEvery(Duration.ZERO)
            .build();
    granted(small.begin(KEY, PRINT));
    CompletableFuture<Decision> first = small.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    CompletableFuture<Decision> second = small.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);

    assertThat(small.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP).join())
        .isInstanceOf(Decision.InProgress.class);
    world.seam.advance(LONG);
    assertThat(first).isDone();
    assertThat(second).isDone();
    CompletableFuture<Decision> next = small.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    assertThat(next).isNotDone();
  }

  @Test
  void whoeverIsGrantedAtOnceDoesNotCountAsAWaiter() {
    Retrysafe small =
        Retrysafe.builder(world.store)
            .seam(world.seam)
            .waiters(1)
            .sweepEvery(Duration.ZERO)
            .build();
    for (int i = 0; i < 5; i++) {
      OperationKey key = OperationKey.of(KEY.scope(), "order-" + i);
      granted(small.beginAsync(key, PRINT, PATIENT, EngineWorld.LOOP).join());
    }
    assertThat(
            small.beginAsync(
                OperationKey.of(KEY.scope(), "order-0"), PRINT, PATIENT, EngineWorld.LOOP))
        .isNotDone();
  }

  @Test
  void anInterruptedWaitIsGivenUpAndChangesNothing() {
    granted(engine.begin(KEY, PRINT));
    world.seam.interruptNextAwait();

    assertThat(engine.begin(KEY, PRINT, PATIENT)).isInstanceOf(Decision.InProgress.class);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(world.state()).contains(State.IN_PROGRESS);
  }

  @Test
  void whatIsGrantedToAWaiterThatLeftIsReleased() {
    Operation running = granted(engine.begin(KEY, PRINT));
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    running.release();
    // The waiter leaves while its question is on the way: the store's answer finds nobody.
    world.store.onNextClaim(() -> waiting.cancel(false));

    world.seam.advance(Duration.ZERO);

    assertThat(world.state()).isEmpty();
  }

  @Test
  void aCancelledWaitAsksNoMore() {
    granted(world.engine(Policy.create()).begin(KEY, PRINT));
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    waiting.cancel(false);
    world.seam.advance(Duration.ofSeconds(2));
    long asked = world.store.calls("claim");

    world.seam.advance(LONG);

    assertThat(world.store.calls("claim")).isEqualTo(asked);
  }

  @Test
  void aWaiterLearnsThatTheStoreIsSilent() {
    granted(engine.begin(KEY, PRINT));
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);
    world.store.plan("claim", Fault.LOST_CALL, 100_000);

    world.seam.advance(Duration.ofSeconds(4));

    assertThatThrownBy(waiting::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> engine.begin(KEY, PRINT, PATIENT))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void waitersAreSentHomeWhenTheEngineCloses() throws Exception {
    Retrysafe real = Retrysafe.create(world.store.behind());
    granted(real.begin(KEY, PRINT));
    CompletableFuture<Decision> waiting = real.beginAsync(KEY, PRINT, PATIENT, EngineWorld.LOOP);

    real.close();

    assertThat(waiting.get(10, java.util.concurrent.TimeUnit.SECONDS))
        .isInstanceOf(Decision.InProgress.class);
  }
}
