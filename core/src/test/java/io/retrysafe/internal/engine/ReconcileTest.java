// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.LAPSE;
import static io.retrysafe.internal.engine.EngineWorld.LEASE;
import static io.retrysafe.internal.engine.EngineWorld.OTHER_PRINT;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Decision;
import io.retrysafe.Event;
import io.retrysafe.Lookup.CannotTell;
import io.retrysafe.Lookup.DidNotHappen;
import io.retrysafe.Lookup.Finding;
import io.retrysafe.Lookup.Happened;
import io.retrysafe.Lookup.Later;
import io.retrysafe.OnFailure;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.TestEngines;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReconcileTest {
  private final EngineWorld world = new EngineWorld();
  private final List<String> asked = new ArrayList<>();
  private Finding answer = new CannotTell();

  private Finding lookUp(Operation operation) {
    asked.add(operation.downstreamKey("bank"));
    return answer;
  }

  private final Policy reconcile = Policy.create().recovery(Recovery.reconcile(this::lookUp));

  private Decision begin() {
    return world.engine.begin(KEY, PRINT, reconcile);
  }

  private void leftUnknown() {
    world.claimedByACrashedProcess(reconcile);
    world.runtime.advance(LAPSE);
  }

  @Test
  void aFirstCallIsNotLookedUp() {
    granted(begin());

    assertThat(asked).isEmpty();
  }

  @Test
  void aClaimThatMayLandAgainIsNotLeftResumable() {
    Policy resuming = reconcile.failures(OnFailure.RESUME);
    granted(world.engine.begin(KEY, PRINT, resuming)).fail(text("no money"));
    assertThat(world.state()).contains(State.RESUMABLE);

    OperationKey other = OperationKey.of(Scope.of("account", "charge"), "asked-twice");
    world.store.plan("claim", FlakyStore.Fault.LOST_ANSWER, 1);
    granted(world.engine.begin(other, PRINT, resuming)).fail(text("no money"));
    assertThat(world.store.behind().find(other).map(Entry::state)).contains(State.UNKNOWN);
  }

  @Test
  void whatHappenedIsCompletedAndReplayed() {
    leftUnknown();
    answer = new Happened(text("found"));

    assertThat(begin()).isEqualTo(new Decision.Replay(text("found")));
    assertThat(world.state()).contains(State.COMPLETED);
    assertThat(begin()).isEqualTo(new Decision.Replay(text("found")));
    assertThat(asked).hasSize(1);
    assertThat(world.kinds()).contains(Event.Kind.RECONCILED);
  }

  @Test
  void whatDidNotHappenRunsAgain() {
    leftUnknown();
    answer = new DidNotHappen();

    assertThat(granted(begin()).attempt()).isEqualTo(2);
  }

  @Test
  void whatCannotBeToldStaysParkedAndIsAskedAgain() {
    leftUnknown();

    assertThat(begin()).isEqualTo(new Decision.OutcomeUnknown());
    assertThat(begin()).isEqualTo(new Decision.OutcomeUnknown());
    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(asked).hasSize(2);
  }

  @Test
  void aLookupThatFailsCannotTell() {
    leftUnknown();
    Policy failing =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation -> {
                      throw new java.io.IOException("bank is down");
                    }));

    assertThat(world.engine.begin(KEY, PRINT, failing)).isEqualTo(new Decision.OutcomeUnknown());
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void anInterruptedLookupCannotTellAndStaysInterrupted() {
    leftUnknown();
    Policy interrupted =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation -> {
                      throw new InterruptedException();
                    }));

    assertThat(world.engine.begin(KEY, PRINT, interrupted))
        .isEqualTo(new Decision.OutcomeUnknown());
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void aRefusalAfterALookupLeavesItToBeLookedUpAgain() {
    leftUnknown();
    answer = new DidNotHappen();

    granted(begin()).release();

    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void aLookupThatIsOvertakenGivesWhatWasRecorded() {
    leftUnknown();
    Policy slow =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation -> {
                      world.store.plan("renew", FlakyStore.Fault.LOST_CALL, 1000);
                      world.runtime.advance(LAPSE);
                      answer = new Happened(text("by the other"));
                      begin();
                      return new Happened(text("by the slow one"));
                    }));

    assertThat(world.engine.begin(KEY, PRINT, slow))
        .isEqualTo(new Decision.Replay(text("by the other")));
  }

  // In the background

  private Retrysafe recovering(Duration every) {
    return TestEngines.builder(world.store.behind(), world.runtime)
        .listener(world.events::add)
        .sweepEvery(Duration.ZERO)
        .recoverEvery(every, reconcile, Set.of("charge"))
        .build();
  }

  @Test
  void theBackgroundRecovererCompletesWhatHappened() {
    leftUnknown();
    answer = new Happened(text("found"));
    recovering(Duration.ofMinutes(1));

    world.runtime.advance(Duration.ofMinutes(1));

    assertThat(world.engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("found")));
  }

  @Test
  void theBackgroundRecovererWaitsForALateFinding() {
    leftUnknown();
    answer = new Later(coming);
    recovering(Duration.ofMinutes(1));
    world.runtime.after(Duration.ofSeconds(70), () -> coming.complete(new Happened(text("found"))));

    world.runtime.advance(Duration.ofMinutes(2));

    assertThat(asked).hasSize(1);
    assertThat(world.engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("found")));
  }

  @Test
  void theBackgroundRecovererLeavesWhatDidNotHappenForARetry() {
    leftUnknown();
    answer = new DidNotHappen();
    recovering(Duration.ofMinutes(1));

    world.runtime.advance(Duration.ofMinutes(1));

    assertThat(world.state()).contains(State.RESUMABLE);
    assertThat(world.engine.begin(KEY, OTHER_PRINT)).isEqualTo(new Decision.Mismatch());
    granted(world.engine.begin(KEY, PRINT));
  }

  @Test
  void theBackgroundRecovererAsksAgainAboutWhatCannotBeTold() {
    leftUnknown();
    recovering(Duration.ofMinutes(1));

    world.runtime.advance(Duration.ofMinutes(5));

    assertThat(asked.size()).isBetween(4, 10);
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void theBackgroundRecovererLeavesRunningAndSettledOperationsAlone() {
    granted(world.engine.begin(KEY, PRINT));
    granted(world.engine.begin(OperationKey.of(KEY.scope(), "done"), PRINT)).complete(text("x"));
    recovering(Duration.ofMinutes(1));

    world.runtime.advance(Duration.ofMinutes(5));

    assertThat(asked).isEmpty();
  }

  @Test
  void manyUnknownOperationsAreRecoveredPageByPage() {
    answer = new Happened(text("found"));
    for (int i = 0; i < 250; i++) {
      granted(world.engine.begin(OperationKey.of(KEY.scope(), "order-" + i), PRINT)).unknown();
    }
    recovering(Duration.ofMinutes(1));

    world.runtime.advance(Duration.ofMinutes(1));

    assertThat(asked).hasSize(250);
  }

  @Test
  void theBackgroundRecovererLeavesTheOperationsOfOthersAsTheyAre() {
    OperationKey transfer = OperationKey.of(Scope.of("merchant_7", "transfer"), "order-1001");
    granted(world.engine.begin(transfer, PRINT)).unknown();
    leftUnknown();
    Entry parked = world.store.behind().find(transfer).orElseThrow();
    answer = new DidNotHappen();
    recovering(Duration.ofMinutes(1));

    world.runtime.advance(Duration.ofMinutes(5));

    assertThat(world.state()).contains(State.RESUMABLE);
    Entry still = world.store.behind().find(transfer).orElseThrow();
    assertThat(still.state()).isEqualTo(State.UNKNOWN);
    assertThat(still.token()).isEqualTo(parked.token());
    assertThat(still.attempt()).isEqualTo(1);
    assertThat(world.engine.begin(transfer, PRINT)).isEqualTo(new Decision.OutcomeUnknown());
  }

  @Test
  void theBackgroundRecovererNeedsAPolicyThatReconciles() {
    Retrysafe.Builder builder = Retrysafe.builder(world.store.behind());

    assertThatThrownBy(() -> builder.recoverEvery(LEASE, Policy.create(), Set.of("charge")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("reconcile");
    assertThatThrownBy(() -> builder.recoverEvery(LEASE, reconcile, Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("endpoints");
  }

  @Test
  void theBackgroundRecovererDoesNotAskBeforeTheOutcomeWasUnknownForLongEnough() {
    answer = new DidNotHappen();
    world.claimedByACrashedProcess(later);
    TestEngines.builder(world.store.behind(), world.runtime)
        .sweepEvery(Duration.ZERO)
        .recoverEvery(Duration.ofSeconds(1), later, Set.of("charge"))
        .build();
    world.runtime.advance(LEASE.plus(AFTER).minusSeconds(1));
    assertThat(asked).isEmpty();

    world.runtime.advance(Duration.ofSeconds(4));

    assertThat(asked).hasSize(1);
    assertThat(world.state()).contains(State.RESUMABLE);
  }

  @Test
  void aLookupThatThrowsAnErrorHoldsUpNoOther() {
    Policy poisoned =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation -> {
                      if (operation.key().value().equals("poisoned")) {
                        throw new LinkageError("the driver is not there");
                      }
                      return new Happened(text("found"));
                    }));
    Operation first =
        granted(world.engine.begin(OperationKey.of(KEY.scope(), "poisoned"), PRINT, poisoned));
    first.unknown();
    world.runtime.advance(Duration.ofSeconds(1));
    granted(world.engine.begin(KEY, PRINT)).unknown();
    TestEngines.builder(world.store.behind(), world.runtime)
        .sweepEvery(Duration.ZERO)
        .recoverEvery(Duration.ofMinutes(1), poisoned, Set.of("charge"))
        .build();

    world.runtime.advance(Duration.ofMinutes(2));

    assertThat(world.state()).contains(State.COMPLETED);
    assertThat(world.store.behind().find(first.key()).map(Entry::state)).contains(State.UNKNOWN);
  }

  @Test
  void aLateFindingThatNeverComesHoldsUpNoOther() {
    for (int i = 0; i < 10; i++) {
      granted(world.engine.begin(OperationKey.of(KEY.scope(), "silent-" + i), PRINT)).unknown();
    }
    world.runtime.advance(Duration.ofSeconds(1));
    granted(world.engine.begin(KEY, PRINT)).unknown();
    Policy silent =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation ->
                        operation.key().equals(KEY)
                            ? new Happened(text("found"))
                            : new Later(new CompletableFuture<>())));
    TestEngines.builder(world.store.behind(), world.runtime)
        .sweepEvery(Duration.ZERO)
        .recoverEvery(Duration.ofMinutes(1), silent, Set.of("charge"))
        .build();

    world.runtime.advance(Duration.ofMinutes(4));

    assertThat(world.state()).contains(State.COMPLETED);
    OperationKey left = OperationKey.of(KEY.scope(), "silent-0");
    assertThat(world.store.behind().find(left).map(Entry::state)).contains(State.UNKNOWN);
  }

  @Test
  void aStoreThatCannotListCannotBeRecoveredInTheBackground() {
    Retrysafe.Builder builder =
        Retrysafe.builder(world.store)
            .recoverEvery(Duration.ofMinutes(1), reconcile, scope -> true);

    assertThatThrownBy(builder::build).hasMessageContaining("cannot list");
  }

  // Not before

  private static final Duration AFTER = Duration.ofSeconds(40);

  private final Policy later = Policy.create().recovery(Recovery.reconcile(this::lookUp, AFTER));

  private Decision beginLater() {
    return world.engine.begin(KEY, PRINT, later);
  }

  @Test
  void nobodyIsAskedBeforeTheOutcomeWasUnknownForLongEnough() {
    answer = new DidNotHappen();
    world.claimedByACrashedProcess(later);
    world.runtime.advance(LEASE.plus(AFTER).minusSeconds(1));

    assertThat(beginLater()).isEqualTo(new Decision.OutcomeUnknown());
    assertThat(asked).isEmpty();

    world.runtime.advance(Duration.ofSeconds(1));
    assertThat(granted(beginLater()).attempt()).isEqualTo(2);
    assertThat(asked).hasSize(1);
  }

  @Test
  void theTimeBeginsAnewWhenNobodyCouldTell() {
    world.claimedByACrashedProcess(later).unknown();
    world.runtime.advance(AFTER);
    assertThat(beginLater()).isEqualTo(new Decision.OutcomeUnknown());
    assertThat(beginLater()).isEqualTo(new Decision.OutcomeUnknown());
    assertThat(asked).hasSize(1);

    world.runtime.advance(AFTER);
    answer = new Happened(text("found"));

    assertThat(beginLater()).isEqualTo(new Decision.Replay(text("found")));
  }

  @Test
  void anotherRequestIsNotAskedFor() {
    world.claimedByACrashedProcess(later);
    world.runtime.advance(LEASE.plus(AFTER));

    assertThat(world.engine.begin(KEY, OTHER_PRINT, later)).isEqualTo(new Decision.Mismatch());
    assertThat(asked).isEmpty();
  }

  @Test
  void whatSomebodyRanMeanwhileIsNotAskedFor() {
    answer = new DidNotHappen();
    world.claimedByACrashedProcess(later);
    world.runtime.advance(LEASE.plus(AFTER));
    Policy rerun = Policy.create().recovery(Recovery.rerun());
    world.store.onNextClaim(() -> granted(world.engine(rerun).begin(KEY, PRINT, rerun)).unknown());

    assertThat(beginLater()).isEqualTo(new Decision.OutcomeUnknown());

    assertThat(asked).isEmpty();
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void anOwnerThatCameBackMeanwhileIsNotAskedFor() {
    answer = new DidNotHappen();
    ClaimedOperation slow = world.claimedByACrashedProcess(later);
    world.runtime.advance(LEASE.plus(AFTER));
    world.store.onNextClaim(
        () -> {
          assertThat(world.store.behind().renew(Set.of(slow.owner()), LEASE)).hasSize(1);
          world.runtime.advance(LAPSE);
        });

    assertThat(beginLater()).isEqualTo(new Decision.OutcomeUnknown());

    assertThat(asked).isEmpty();
  }

  // Later

  private final CompletableFuture<Finding> coming = new CompletableFuture<>();

  private CompletableFuture<Decision> asking() {
    return asking(reconcile);
  }

  private CompletableFuture<Decision> asking(Policy policy) {
    world.claimedByACrashedProcess(policy);
    world.runtime.advance(LAPSE);
    answer = new Later(coming);
    return world.engine.beginAsync(KEY, PRINT, policy, EngineWorld.LOOP);
  }

  @Test
  void aLookupThatTakesItsTimeHoldsNoThreadAndKeepsTheClaim() {
    CompletableFuture<Decision> decided = asking();
    world.runtime.advance(LAPSE);

    assertThat(decided).isNotDone();
    assertThat(world.state()).contains(State.IN_PROGRESS);
    assertThat(asked).hasSize(1);

    coming.complete(new Happened(text("found")));
    assertThat(decided).isCompletedWithValue(new Decision.Replay(text("found")));
    assertThat(world.state()).contains(State.COMPLETED);
  }

  @Test
  void whatIsFoundLaterNotToHaveHappenedRunsAgain() {
    CompletableFuture<Decision> decided = asking();
    coming.complete(new DidNotHappen());

    assertThat(granted(decided.join()).attempt()).isEqualTo(2);
  }

  @Test
  void aLateFindingThatFailsCannotTell() {
    CompletableFuture<Decision> decided = asking();
    coming.completeExceptionally(new java.io.IOException("bank is down"));

    assertThat(decided).isCompletedWithValue(new Decision.OutcomeUnknown());
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void aLateFindingThatIsToComeLaterCannotTell() {
    CompletableFuture<Decision> decided = asking();
    coming.complete(new Later(new CompletableFuture<>()));

    assertThat(decided).isCompletedWithValue(new Decision.OutcomeUnknown());
  }

  @Test
  void aCallerThatWaitsForADuplicateWaitsForALateFindingToo() {
    CompletableFuture<Decision> decided = asking(reconcile.waitUpTo(Duration.ofHours(1)));
    world.runtime.advance(LAPSE);
    assertThat(decided).isNotDone();

    coming.complete(new Happened(text("found")));

    assertThat(decided).isCompletedWithValue(new Decision.Replay(text("found")));
  }

  @Test
  void aLateFindingIsRecordedForACallerThatHasLeft() {
    assertThat(asking().cancel(false)).isTrue();

    coming.complete(new Happened(text("found")));

    assertThat(world.state()).contains(State.COMPLETED);
  }

  @Test
  void whatNobodyIsLeftToRunIsGivenBack() {
    assertThat(asking().cancel(false)).isTrue();

    coming.complete(new DidNotHappen());

    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(granted(begin()).attempt()).isEqualTo(3);
  }

  @Test
  void aSilentStoreIsToldAfterALateFinding() {
    CompletableFuture<Decision> decided = asking();
    world.store.plan("complete", FlakyStore.Fault.LOST_CALL, 1000);

    coming.complete(new Happened(text("found")));
    world.runtime.advance(Duration.ofSeconds(3));

    assertThatThrownBy(decided::join).hasCauseInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aBlockingCallerWaitsForALateFinding() {
    leftUnknown();
    answer = new Later(coming);
    world.runtime.after(Duration.ofSeconds(5), () -> coming.complete(new Happened(text("found"))));

    assertThat(begin()).isEqualTo(new Decision.Replay(text("found")));
  }

  @Test
  void anInterruptedCallerStopsWaitingForALateFinding() {
    leftUnknown();
    answer = new Later(coming);
    world.runtime.interruptNextAwait();

    assertThat(begin()).isInstanceOf(Decision.InProgress.class);

    assertThat(Thread.interrupted()).isTrue();
    coming.complete(new DidNotHappen());
    assertThat(world.state()).contains(State.UNKNOWN);
  }
}
