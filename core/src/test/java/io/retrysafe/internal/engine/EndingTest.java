// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.LAPSE;
import static io.retrysafe.internal.engine.EngineWorld.OTHER_PRINT;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.Decision;
import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.OnFailure;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndingTest {
  private static final Policy RERUN = Policy.create().recovery(Recovery.rerun());
  private static final Outcome FAILURE = Outcome.failed(500, List.of(), Bytes.utf8("no"));

  private final EngineWorld world = new EngineWorld();
  private final Retrysafe engine = world.engine;

  @Test
  void completingRecordsTheOutcome() {
    Ending ending = granted(engine.begin(KEY, PRINT)).complete(text("receipt"));

    assertThat(ending).isEqualTo(new Ending.Recorded(text("receipt")));
    assertThat(world.state()).contains(State.COMPLETED);
  }

  @Test
  void anOperationIsEndedOnce() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    operation.complete(text("receipt"));

    assertThatThrownBy(() -> operation.complete(text("other")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ended once");
    assertThatThrownBy(operation::release).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(operation::unknown).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> operation.fail(FAILURE)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> operation.step("s", Codec.string(), () -> ""))
        .isInstanceOf(IllegalStateException.class);
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("receipt")));
  }

  @Test
  void aRefusedOperationFreesItsKeyAlsoForAnotherBody() {
    assertThat(granted(engine.begin(KEY, PRINT)).release())
        .isEqualTo(new Ending.Left(Release.FREE));

    assertThat(world.state()).isEmpty();
    assertThat(granted(engine.begin(KEY, OTHER_PRINT)).attempt()).isEqualTo(1);
  }

  @Test
  void aRefusalDoesNotEraseAnEarlierAttemptOfUnknownOutcome() {
    world.claimedByACrashedProcess(RERUN);
    world.runtime.advance(LAPSE);

    granted(engine.begin(KEY, PRINT, RERUN)).release();

    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(engine.begin(KEY, OTHER_PRINT)).isEqualTo(new Decision.Mismatch());
    assertThat(granted(engine.begin(KEY, PRINT, RERUN)).attempt()).isEqualTo(3);
  }

  @Test
  void aKeptFailureIsReplayed() {
    assertThat(granted(engine.begin(KEY, PRINT)).fail(FAILURE))
        .isEqualTo(new Ending.Recorded(FAILURE));

    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(FAILURE));
    assertThat(world.state()).contains(State.FAILED);
  }

  @Test
  void aReleasedFailureRunsAgain() {
    Policy release = Policy.create().failures(OnFailure.RELEASE);
    granted(engine.begin(KEY, PRINT, release)).fail(FAILURE);

    assertThat(granted(engine.begin(KEY, PRINT, release)).attempt()).isEqualTo(1);
  }

  @Test
  void aResumableFailureIsContinuedByARetry() {
    Policy resume = Policy.create().failures(OnFailure.RESUME);
    assertThat(granted(engine.begin(KEY, PRINT, resume)).fail(FAILURE))
        .isEqualTo(new Ending.Left(Release.RESUMABLE));

    assertThat(world.state()).contains(State.RESUMABLE);
    assertThat(granted(engine.begin(KEY, PRINT)).attempt()).isEqualTo(2);
  }

  @Test
  void anUnknownOutcomeIsParkedAtOnce() {
    granted(engine.begin(KEY, PRINT)).unknown();

    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.OutcomeUnknown());
  }

  @Test
  void aLateAnswerSettlesAnUnknownUntilSomebodyTakesOver() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    operation.unknown();

    assertThat(operation.complete(text("late"))).isEqualTo(new Ending.Recorded(text("late")));
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("late")));
    assertThatThrownBy(() -> operation.complete(text("later")))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aStaleOwnerChangesNothingAndIsToldWhatWasRecorded() {
    Operation slow = world.claimedByACrashedProcess(RERUN);
    world.runtime.advance(LAPSE);
    granted(engine.begin(KEY, PRINT, RERUN)).complete(text("second"));

    assertThat(slow.complete(text("first"))).isEqualTo(new Ending.Superseded(text("second")));
    assertThat(slow.isCurrent()).isFalse();
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("second")));
  }

  @Test
  void aStaleOwnerIsToldUnknownWhileTheOtherStillRuns() {
    Operation slow = world.claimedByACrashedProcess(RERUN);
    world.runtime.advance(LAPSE);
    granted(engine.begin(KEY, PRINT, RERUN));

    assertThat(slow.complete(text("first"))).isEqualTo(new Ending.Lost());
  }

  @Test
  void aStaleOwnerDoesNotGetTheAnswerOfAnotherRequest() {
    Operation slow = world.claimedByACrashedProcess(RERUN);
    world.runtime.advance(LAPSE);
    granted(engine.begin(KEY, PRINT, RERUN)).complete(text("second"));
    world.runtime.advance(java.time.Duration.ofHours(25));
    granted(engine.begin(KEY, OTHER_PRINT)).complete(text("another request's"));

    assertThat(slow.complete(text("first"))).isEqualTo(new Ending.Lost());
  }

  @Test
  void aSlowOwnerThatNobodyReplacedStillCompletes() {
    Operation slow = world.claimedByACrashedProcess(RERUN);
    world.runtime.advance(LAPSE);

    assertThat(slow.complete(text("first"))).isEqualTo(new Ending.Recorded(text("first")));
  }

  @Test
  void aStaleOwnersReleaseChangesNothing() {
    Operation slow = world.claimedByACrashedProcess(RERUN);
    world.runtime.advance(LAPSE);
    granted(engine.begin(KEY, PRINT, RERUN));

    assertThat(slow.release()).isEqualTo(new Ending.Lost());
    assertThat(world.state()).contains(State.IN_PROGRESS);
  }

  @Test
  void aReleasedOperationIsNoLongerRenewed() {
    granted(engine.begin(KEY, PRINT)).release();
    granted(engine.begin(OperationKey.of(KEY.scope(), "other"), PRINT)).unknown();

    world.runtime.advance(LAPSE);

    assertThat(world.store.calls("renew")).isZero();
    assertThat(world.kinds())
        .containsExactly(
            Event.Kind.CLAIMED, Event.Kind.RELEASED, Event.Kind.CLAIMED, Event.Kind.RELEASED);
  }

  @Test
  void anUnknownOutcomeIsSaidToBeLeft() {
    assertThat(granted(engine.begin(KEY, PRINT)).unknown())
        .isEqualTo(new Ending.Left(Release.UNKNOWN));
  }

  @Test
  void aLostOperationIsNoLongerRenewed() {
    Operation slow = granted(engine.begin(KEY, PRINT));
    world.store.plan("renew", io.retrysafe.internal.engine.FlakyStore.Fault.LOST_CALL, 100_000);
    world.runtime.advance(LAPSE);
    granted(world.engine(RERUN).begin(KEY, PRINT)).complete(text("second"));
    slow.complete(text("first"));
    world.store.heal();
    long renewals = world.store.calls("renew");

    world.runtime.advance(LAPSE);

    assertThat(world.store.calls("renew")).isEqualTo(renewals);
  }

  @Test
  void anAnswerOverTheLimitIsSettledWithoutIt() {
    Policy small = Policy.create().largestAnswer(4);
    Ending kept =
        granted(engine.begin(KEY, PRINT, small))
            .complete(Outcome.of(201, List.of(), Bytes.utf8("four")));
    assertThat(kept).isEqualTo(new Ending.Recorded(Outcome.of(201, List.of(), Bytes.utf8("four"))));

    OperationKey other = OperationKey.of(Scope.of("merchant_7", "charge"), "order-1002");
    Outcome large = Outcome.of(201, List.of(), Bytes.utf8("fiver"));
    Ending ending = granted(engine.begin(other, PRINT, small)).complete(large);
    assertThat(ending).isEqualTo(new Ending.Recorded(large.withoutAnswer()));
    assertThat(engine.begin(other, PRINT)).isEqualTo(new Decision.Replay(large.withoutAnswer()));
  }
}
