// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static io.retrysafe.EngineWorld.KEY;
import static io.retrysafe.EngineWorld.LAPSE;
import static io.retrysafe.EngineWorld.PRINT;
import static io.retrysafe.EngineWorld.granted;
import static io.retrysafe.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.retrysafe.FlakyStore.Fault;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.State;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class SilentStoreTest {
  private static final int FOR_EVER = 100_000;

  private final EngineWorld world = new EngineWorld();
  private final Retrysafe engine = world.engine;

  private StoreUnavailableException unavailable(Runnable call) {
    StoreUnavailableException thrown =
        catchThrowableOfType(StoreUnavailableException.class, call::run);
    assertThat(thrown).isNotNull();
    assertThat(thrown.key()).isEqualTo(KEY);
    return thrown;
  }

  @Test
  void aClaimWhoseAnswerWasLostIsRecognisedWhenAskedAgain() {
    world.store.plan("claim", Fault.LOST_ANSWER, 3);

    assertThat(granted(engine.begin(KEY, PRINT)).attempt()).isEqualTo(1);
    assertThat(world.store.calls("claim")).isEqualTo(4);
  }

  @Test
  void aContendedKeyIsAskedForAgainAndThenInProgress() {
    world.store.plan("claim", Fault.CONTENDED, 2);
    assertThat(granted(engine.begin(KEY, PRINT))).isNotNull();

    world.store.plan("claim", Fault.CONTENDED, FOR_EVER);
    OperationKey other = OperationKey.of(KEY.scope(), "contended");
    assertThat(engine.begin(other, PRINT))
        .isEqualTo(new Decision.InProgress(Duration.ofSeconds(1)));
    assertThat(world.store.behind().find(other)).isEmpty();
  }

  @Test
  void aSilentStoreIsGivenUpAtTheDeadline() {
    world.store.plan("claim", Fault.LOST_CALL, FOR_EVER);
    long start = world.seam.nanos();

    StoreUnavailableException thrown = unavailable(() -> engine.begin(KEY, PRINT));

    assertThat(thrown.workRan()).isFalse();
    assertThat(thrown).hasMessageContaining("did not run");
    assertThat(Duration.ofNanos(world.seam.nanos() - start)).isLessThan(Duration.ofSeconds(2));
    assertThat(world.store.calls("claim")).isGreaterThan(5);
    assertThat(world.kinds()).containsExactly(Event.Kind.UNAVAILABLE);
  }

  @Test
  void everyTryHasWhatIsLeftOfTheDeadlineAndNoMore() {
    world.store.plan("claim", Fault.LOST_CALL, FOR_EVER);
    unavailable(() -> engine.begin(KEY, PRINT));

    List<Duration> left = world.store.timesLeft();
    assertThat(left.get(0)).isEqualTo(Duration.ofSeconds(2));
    assertThat(left).isSortedAccordingTo(Comparator.reverseOrder()).doesNotHaveDuplicates();
    assertThat(left.get(left.size() - 1)).isBetween(Duration.ofMillis(1), Duration.ofMillis(300));
  }

  @Test
  void aClaimThatWasGivenUpIsReleased() {
    world.store.plan("claim", Fault.LOST_ANSWER, FOR_EVER);
    world.store.plan("release", Fault.LOST_CALL, 5);
    unavailable(() -> engine.begin(KEY, PRINT));
    assertThat(world.state()).contains(State.IN_PROGRESS);

    world.seam.advance(Duration.ofSeconds(10));

    assertThat(world.state()).isEmpty();
  }

  @Test
  void aClaimThatLandsAfterItWasGivenUpIsReleasedOnceMore() {
    world.store.plan("claim", Fault.LOST_CALL, FOR_EVER);
    unavailable(() -> engine.begin(KEY, PRINT));
    world.seam.advance(Duration.ofMillis(500));
    world.store.landLastClaim();
    assertThat(world.state()).contains(State.IN_PROGRESS);

    world.seam.advance(world.store.profile().callTimeout());

    assertThat(world.state()).isEmpty();
  }

  @Test
  void aRefusingStoreIsNotAskedAgain() {
    world.store.plan("claim", Fault.REFUSED, 1);

    assertThat(unavailable(() -> engine.begin(KEY, PRINT)).workRan()).isFalse();
    world.seam.advance(Duration.ofSeconds(10));
    assertThat(world.store.calls("claim")).isEqualTo(1);
    assertThat(world.store.calls("release")).isZero();
  }

  @Test
  void aCompletionWhoseAnswerWasLostIsRecognised() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("complete", Fault.LOST_ANSWER, 3);

    assertThat(operation.complete(text("receipt"))).isEqualTo(new Ending.Recorded(text("receipt")));
  }

  @Test
  void completingGoesOnInTheBackground() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("complete", Fault.LOST_CALL, 40);

    StoreUnavailableException thrown = unavailable(() -> operation.complete(text("receipt")));
    assertThat(thrown.workRan()).isTrue();
    assertThat(thrown).hasMessageContaining("record is pending");
    assertThat(world.state()).contains(State.IN_PROGRESS);

    world.seam.advance(Duration.ofMinutes(5));
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("receipt")));
    assertThat(world.kinds())
        .containsExactly(
            Event.Kind.CLAIMED, Event.Kind.UNAVAILABLE, Event.Kind.COMPLETED, Event.Kind.REPLAYED);
  }

  @Test
  void theLeaseIsKeptWhileARecordIsPending() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("complete", Fault.LOST_CALL, FOR_EVER);
    unavailable(() -> operation.complete(text("receipt")));

    world.seam.advance(Duration.ofMinutes(10));

    Policy rerun = Policy.create().recovery(Recovery.rerun());
    assertThat(engine.begin(KEY, PRINT, rerun)).isInstanceOf(Decision.InProgress.class);
  }

  @Test
  void workThatRanIsNeverFreedBecauseItsRecordGotNoAnswer() {
    world.store.plan("claim", Fault.LOST_ANSWER, 1);
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("complete", Fault.LOST_CALL, FOR_EVER);
    unavailable(() -> operation.complete(text("receipt")));

    world.seam.advance(Duration.ofHours(2));

    assertThat(engine.begin(KEY, PRINT)).isInstanceOf(Decision.OutcomeUnknown.class);
  }

  @Test
  void aPendingRecordIsTriedOnceMoreWhenTheEngineCloses() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("complete", Fault.LOST_CALL, FOR_EVER);
    unavailable(() -> operation.complete(text("receipt")));
    world.store.heal();

    engine.close();

    assertThat(world.state()).contains(State.COMPLETED);
  }

  @Test
  void closingGivesUpOnASilentStore() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("complete", Fault.LOST_CALL, FOR_EVER);
    unavailable(() -> operation.complete(text("receipt")));
    long asked = world.store.calls("complete");

    engine.close();

    assertThat(world.store.calls("complete")).isEqualTo(asked + 1);
  }

  @Test
  void aPendingRecordThatFindsItsClaimGoneIsReported() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("complete", Fault.LOST_CALL, FOR_EVER);
    world.store.plan("renew", Fault.LOST_CALL, FOR_EVER);
    unavailable(() -> operation.complete(text("receipt")));
    world.seam.advance(LAPSE);
    Policy rerun = Policy.create().recovery(Recovery.rerun());
    granted(world.engine(rerun).begin(KEY, PRINT));
    world.store.heal();

    world.seam.advance(Duration.ofSeconds(10));

    assertThat(world.kinds()).contains(Event.Kind.LOST_CLAIM);
    assertThat(world.state()).contains(State.IN_PROGRESS);
  }

  @Test
  void aReleaseGoesOnInTheBackground() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("release", Fault.LOST_CALL, 40);

    assertThat(operation.release()).isEqualTo(new Ending.Left(LeaveAs.FREE));
    assertThat(world.state()).contains(State.IN_PROGRESS);
    world.seam.advance(Duration.ofMinutes(5));
    assertThat(world.state()).isEmpty();
    assertThat(world.kinds())
        .containsExactly(Event.Kind.CLAIMED, Event.Kind.UNAVAILABLE, Event.Kind.RELEASED);
  }

  @Test
  void aPendingReleaseThatFindsItsClaimGoneIsReported() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("release", Fault.LOST_CALL, 60);
    world.store.plan("renew", Fault.LOST_CALL, FOR_EVER);
    operation.unknown();
    world.seam.advance(LAPSE);
    Policy rerun = Policy.create().recovery(Recovery.rerun());
    granted(world.engine(rerun).begin(KEY, PRINT));
    world.store.heal();

    world.seam.advance(Duration.ofMinutes(1));

    assertThat(world.kinds()).contains(Event.Kind.LOST_CLAIM).doesNotContain(Event.Kind.RELEASED);
    assertThat(world.state()).contains(State.IN_PROGRESS);
  }

  @Test
  void aWaiterIsWokenWhenAGivenUpClaimIsReleased() {
    world.store.plan("claim", Fault.LOST_ANSWER, 400);
    unavailable(() -> engine.begin(KEY, PRINT));
    world.store.heal();
    Policy patient = Policy.create().waitUpTo(Duration.ofMinutes(1));
    java.util.concurrent.CompletableFuture<Decision> waiting =
        engine.beginAsync(KEY, PRINT, patient, EngineWorld.LOOP);
    assertThat(waiting).isNotDone();

    world.seam.advance(Duration.ofMillis(1));

    assertThat(granted(waiting.join()).attempt()).isEqualTo(1);
  }

  @Test
  void aLateAnswerOvertakesAReleaseThatIsStillPending() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    world.store.plan("release", Fault.LOST_CALL, 40);
    operation.unknown();

    assertThat(operation.complete(text("late"))).isEqualTo(new Ending.Recorded(text("late")));
    world.seam.advance(Duration.ofMinutes(5));
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("late")));
    assertThat(world.kinds()).doesNotContain(Event.Kind.LOST_CLAIM);
  }

  @Test
  void aStaleOwnerWithASilentStoreIsToldUnknown() {
    Policy rerun = Policy.create().recovery(Recovery.rerun());
    Operation slow = world.claimedByACrashedProcess(rerun);
    world.seam.advance(LAPSE);
    granted(engine.begin(KEY, PRINT, rerun)).complete(text("second"));
    world.store.plan("find", Fault.LOST_CALL, FOR_EVER);

    assertThat(slow.complete(text("first"))).isEqualTo(new Ending.Lost());
  }
}
