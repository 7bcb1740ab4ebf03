// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static io.retrysafe.EngineWorld.KEY;
import static io.retrysafe.EngineWorld.LAPSE;
import static io.retrysafe.EngineWorld.OTHER_PRINT;
import static io.retrysafe.EngineWorld.PRINT;
import static io.retrysafe.EngineWorld.granted;
import static io.retrysafe.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.FlakyStore.Fault;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations that are begun and ended from an event loop, which is never held. */
final class QueuedTest {
  private static final Policy RERUN = Policy.create().recovery(Recovery.rerun());
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  private final EngineWorld world = new EngineWorld();
  private final List<String> where = new ArrayList<>();
  private final QueuedStore queue = new QueuedStore(world.store);
  private final EventLoop loop =
      new EventLoop(work -> run("loop", work), work -> run("blocking", work));
  private final Retrysafe engine =
      Retrysafe.builder(queue)
          .seam(world.seam)
          .listener(world.events::add)
          .sweepEvery(Duration.ZERO)
          .build();

  private void run(String name, Runnable work) {
    where.add(name);
    work.run();
  }

  private Decision begin(Fingerprint print, Policy policy) {
    return now(engine.beginAsync(KEY, print, policy, loop));
  }

  private Operation begun() {
    return granted(begin(PRINT, Policy.create()));
  }

  private <T> T now(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).isDone();
    return Futures.result(stage.toCompletableFuture());
  }

  private <T> T soon(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).isNotDone();
    world.seam.advance(Duration.ofMillis(10));
    return now(stage);
  }

  @Test
  void whatIsAnsweredIsJudgedInTheLoop() {
    Operation operation = begun();
    assertThat(now(operation.completeAsync(text("done"), loop)))
        .isInstanceOf(Ending.Recorded.class);
    assertThat(begin(PRINT, Policy.create())).isInstanceOf(Decision.Replay.class);
    assertThat(begin(OTHER_PRINT, Policy.create())).isInstanceOf(Decision.Mismatch.class);
    assertThat(where).as("all was answered in the calling thread").isEmpty();
    assertThat(world.kinds())
        .containsExactly(
            Event.Kind.CLAIMED, Event.Kind.COMPLETED, Event.Kind.REPLAYED, Event.Kind.MISMATCH);
  }

  @ParameterizedTest
  @EnumSource(names = {"LOST_CALL", "LOST_ANSWER", "CONTENDED"})
  void aClaimThatIsNotAnsweredIsAskedAgainWithoutHoldingAThread(Fault fault) {
    world.store.plan("claim", fault, 1);
    Decision decision = soon(engine.beginAsync(KEY, PRINT, Policy.create(), loop));
    assertThat(granted(decision).attempt()).isEqualTo(1);
    assertThat(where).containsOnly("loop");
    assertThat(world.store.calls("claim")).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(names = {"LOST_CALL", "LOST_ANSWER"})
  void aCompletionThatIsNotAnsweredIsAskedAgainWithoutHoldingAThread(Fault fault) {
    Operation operation = begun();
    world.store.plan("complete", fault, 1);
    assertThat(soon(operation.completeAsync(text("done"), loop)))
        .isInstanceOf(Ending.Recorded.class);
    assertThat(where).containsOnly("loop");
    assertThat(world.store.calls("complete")).isEqualTo(2);
    assertThat(world.state()).contains(State.COMPLETED);
  }

  @Test
  void whatIsAnsweredLaterIsJudgedInTheLoop() {
    CompletionStage<Decision> decision = queue.hanging(this::beginAsync);
    assertThat(decision.toCompletableFuture()).isNotDone();
    queue.land();
    CompletionStage<Ending> ending =
        queue.hanging(() -> granted(now(decision)).completeAsync(text("done"), loop));
    queue.land();
    assertThat(now(ending)).isInstanceOf(Ending.Recorded.class);
    assertThat(where).containsExactly("loop", "loop");
  }

  @Test
  void aStoreWithoutAQueueIsAskedWhereBlockingIsAllowed() {
    Decision decision = now(world.engine.beginAsync(KEY, PRINT, Policy.create(), loop));
    assertThat(now(granted(decision).completeAsync(text("done"), loop)))
        .isInstanceOf(Ending.Recorded.class);
    assertThat(where).containsExactly("blocking", "blocking");
  }

  @Test
  void anImmediateStoreIsAskedInTheCallingThread() {
    Retrysafe immediate = Retrysafe.builder(world.store.behind()).seam(world.seam).build();
    Decision decision = now(immediate.beginAsync(KEY, PRINT, Policy.create(), loop));
    assertThat(now(granted(decision).releaseAsync(loop))).isInstanceOf(Ending.Left.class);
    assertThat(where).isEmpty();
  }

  @Test
  void aCallThatGetsAThreadAfterItsDeadlineIsNotMade() {
    List<Runnable> late = new ArrayList<>();
    EventLoop busy = new EventLoop(Runnable::run, late::add);
    CompletionStage<Decision> decision = world.engine.beginAsync(KEY, PRINT, Policy.create(), busy);
    world.seam.advance(DEADLINE.plus(DEADLINE.dividedBy(20)));
    assertThatThrownBy(() -> now(decision)).isInstanceOf(StoreUnavailableException.class);
    late.forEach(Runnable::run);

    assertThat(world.store.calls("claim")).isZero();
  }

  @Test
  void aDuplicateWaitsInTheQueueAndIsAnsweredInTheLoop() {
    Policy patient = Policy.create().waitUpTo(Duration.ofSeconds(10));
    Operation running = begun();
    CompletionStage<Decision> waiting = engine.beginAsync(KEY, PRINT, patient, loop);
    assertThat(waiting.toCompletableFuture()).isNotDone();
    running.complete(text("done"));
    world.seam.advance(Duration.ofMillis(1));
    assertThat(now(waiting)).isEqualTo(new Decision.Replay(text("done")));

    CompletionStage<Decision> dismissed =
        engine.beginAsync(OperationKey.of(KEY.scope(), "other"), PRINT, patient, loop);
    granted(now(dismissed));
    CompletionStage<Decision> last =
        engine.beginAsync(OperationKey.of(KEY.scope(), "other"), PRINT, patient, loop);
    where.clear();
    engine.close();
    assertThat(now(last)).isInstanceOf(Decision.InProgress.class);
    assertThat(where).containsExactly("loop");
  }

  @Test
  void aCallerThatMayNotWaitIsCancelled() {
    begun();
    CompletableFuture<Decision> waiting =
        engine.beginAsync(
            KEY,
            PRINT,
            Policy.create().waitUpTo(Duration.ofSeconds(10)),
            loop.mayWait(() -> false));
    assertThat(waiting).isCancelled();
    world.seam.advance(Duration.ofSeconds(10));
    assertThat(world.store.calls("claim")).as("nobody looks for it again").isEqualTo(2);
  }

  @Test
  void aCancelledClaimIsDecidedAndTheGrantIsTheCallers() {
    CompletableFuture<Decision> decision = queue.hanging(this::beginAsync).toCompletableFuture();
    assertThat(decision.cancel(false)).isFalse();
    queue.land();
    assertThat(granted(now(decision)).attempt()).isEqualTo(1);
  }

  @Test
  void aCallerThatLeftWhileItsClaimWasDecidedDoesNotWaitAfterThat() {
    Operation running = begun();
    Policy patient = Policy.create().waitUpTo(Duration.ofSeconds(10));
    CompletableFuture<Decision> decision =
        queue.hanging(() -> engine.beginAsync(KEY, PRINT, patient, loop));
    assertThat(decision.cancel(false)).isFalse();
    queue.land();
    assertThat(decision).isCancelled();
    running.complete(text("done"));
  }

  @Test
  void aGrantThatComesAfterTheCallerLeftIsReleased() {
    Operation running = begun();
    Policy patient = Policy.create().waitUpTo(Duration.ofSeconds(10));
    CompletableFuture<Decision> waiting = engine.beginAsync(KEY, PRINT, patient, loop);
    running.release();
    queue.hanging(
        () -> {
          world.seam.advance(Duration.ofMillis(1));
          return true;
        });
    assertThat(waiting.cancel(false)).isTrue();
    queue.land();
    assertThat(world.store.calls("claim")).isEqualTo(3);
    assertThat(world.state()).as("nobody runs it").isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lookupsAreAskedWhereBlockingIsAllowedAndEndInTheLoop(boolean didHappen) {
    Policy asking =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation -> {
                      where.add("lookup");
                      return didHappen
                          ? new Lookup.Happened(text("found"))
                          : new Lookup.DidNotHappen();
                    }));
    begun().unknown();
    where.clear();
    Decision decision = now(engine.beginAsync(KEY, PRINT, asking, loop));
    assertThat(where.subList(0, 2)).containsExactly("blocking", "lookup");
    if (didHappen) {
      assertThat(decision).isEqualTo(new Decision.Replay(text("found")));
    } else {
      assertThat(granted(decision).attempt()).isEqualTo(2);
    }
  }

  @Test
  void everyEndGoesThroughTheQueue() {
    Operation first = begun();
    assertThat(now(first.releaseAsync(loop))).isEqualTo(new Ending.Left(LeaveAs.FREE));
    assertThat(world.state()).isEmpty();
    Operation second = begun();
    assertThat(now(second.unknownAsync(loop))).isEqualTo(new Ending.Left(LeaveAs.UNKNOWN));
    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(now(second.completeAsync(text("late"), loop))).isInstanceOf(Ending.Recorded.class);
    assertThat(where).isEmpty();
    OperationKey other = OperationKey.of(KEY.scope(), "other");
    Operation third = granted(now(engine.beginAsync(other, PRINT, Policy.create(), loop)));
    assertThat(now(third.failAsync(Outcome.failed(500, List.of(), Bytes.EMPTY), loop)))
        .isInstanceOf(Ending.Recorded.class);
    assertThat(where).isEmpty();
  }

  @Test
  void aReleaseThatHangsIsPendingAtTheDeadline() {
    Operation operation = begun();
    CompletionStage<Ending> ending = queue.hanging(() -> operation.releaseAsync(loop));
    world.seam.advance(DEADLINE.plus(DEADLINE.dividedBy(20)));
    assertThat(now(ending)).isEqualTo(new Ending.Left(LeaveAs.FREE));
    world.seam.advance(Duration.ofSeconds(1));
    assertThat(world.state()).isEmpty();
  }

  @Test
  void aStaleOwnerIsToldSoWhereTheEntryCanBeAskedFor() {
    // Nobody renews its lease: its clock stands still.
    Retrysafe crashed =
        Retrysafe.builder(new QueuedStore(world.store)).seam(new ManualSeam()).build();
    Operation stale = granted(now(crashed.beginAsync(KEY, PRINT, RERUN, loop)));
    world.seam.advance(LAPSE);
    Operation next = granted(begin(PRINT, RERUN));
    where.clear();
    assertThat(now(stale.completeAsync(text("stale"), loop))).isInstanceOf(Ending.Lost.class);
    assertThat(where).as("the entry is looked for there").containsExactly("blocking");
    assertThat(now(next.completeAsync(text("done"), loop))).isInstanceOf(Ending.Recorded.class);
  }

  @Test
  void aStoreThatStaysSilentIsUnavailableAndTheClaimIsGivenUp() {
    world.store.plan("claim", Fault.LOST_ANSWER, 1000);
    CompletionStage<Decision> decision = engine.beginAsync(KEY, PRINT, Policy.create(), loop);
    world.seam.advance(DEADLINE);
    assertThatThrownBy(() -> now(decision)).isInstanceOf(StoreUnavailableException.class);
    world.store.heal();
    world.seam.advance(Duration.ofMinutes(1));
    assertThat(world.state()).isEmpty();
  }

  @Test
  void aClaimThatHangsIsGivenUpAtTheDeadlineAndUndoneWhereverItLands() {
    CompletionStage<Decision> decision = queue.hanging(this::beginAsync);
    world.seam.advance(DEADLINE.minusMillis(1));
    assertThat(decision.toCompletableFuture()).isNotDone();
    world.seam.advance(DEADLINE.dividedBy(20));

    assertThatThrownBy(() -> now(decision)).isInstanceOf(StoreUnavailableException.class);
    assertThat(world.kinds()).containsExactly(Event.Kind.UNAVAILABLE);
    world.seam.advance(Duration.ofMillis(500));
    queue.land();
    assertThat(world.state()).as("it landed late").contains(State.IN_PROGRESS);
    world.seam.advance(world.store.profile().callTimeout());

    assertThat(world.state()).isEmpty();
    assertThat(granted(begin(PRINT, Policy.create())).attempt()).isEqualTo(1);
  }

  @Test
  void aCompletionThatHangsIsPendingAtTheDeadline() {
    Operation operation = begun();
    CompletionStage<Ending> ending =
        queue.hanging(() -> operation.completeAsync(text("done"), loop));
    world.seam.advance(DEADLINE.plus(DEADLINE.dividedBy(20)));

    assertThatThrownBy(() -> now(ending))
        .isInstanceOfSatisfying(
            StoreUnavailableException.class, e -> assertThat(e.workRan()).isTrue());
    world.seam.advance(Duration.ofSeconds(1));
    assertThat(world.state()).contains(State.COMPLETED);
    assertThat(begin(PRINT, Policy.create())).isEqualTo(new Decision.Replay(text("done")));
  }

  @Test
  void aClosedEngineLeavesNobodyWaitingForATimer() {
    Operation operation = begun();
    world.store.plan("complete", Fault.LOST_CALL, 1);
    CompletionStage<Ending> ending = operation.completeAsync(text("done"), loop);
    assertThat(ending.toCompletableFuture()).isNotDone();
    engine.close();
    assertThatThrownBy(() -> now(ending)).isInstanceOf(StoreUnavailableException.class);
    assertThat(world.state()).as("closing records it").contains(State.COMPLETED);
  }

  @Test
  void aCallThatIsUnderWayWhenTheEngineClosesEndsWithItsAnswer() {
    Operation operation = begun();
    CompletionStage<Ending> ending =
        queue.hanging(() -> operation.completeAsync(text("done"), loop));
    engine.close();
    assertThat(ending.toCompletableFuture()).isNotDone();
    world.store.plan("complete", Fault.LOST_ANSWER, 1);
    queue.land();
    assertThatThrownBy(() -> now(ending)).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void nothingIsSentAfterTheDeadline() {
    List<Runnable> slow = new ArrayList<>();
    EventLoop stalled = new EventLoop(slow::add, work -> run("blocking", work));
    world.store.plan("claim", Fault.LOST_CALL, 1);
    CompletionStage<Decision> decision = engine.beginAsync(KEY, PRINT, Policy.create(), stalled);
    world.seam.advance(DEADLINE.plus(DEADLINE.dividedBy(20)));
    slow.forEach(Runnable::run);

    assertThatThrownBy(() -> now(decision)).isInstanceOf(StoreUnavailableException.class);
    assertThat(world.store.calls("claim")).isEqualTo(1);
  }

  @Test
  void whatIsQueuedKnowsTheDeadlineOfItsCaller() {
    begun();
    assertThat(queue.timeLeft()).isEqualTo(DEADLINE);
  }

  @Test
  void anExecutorThatTakesNothingLosesNobody() {
    EventLoop closed =
        new EventLoop(
            work -> {
              throw new java.util.concurrent.RejectedExecutionException("closed");
            },
            work -> run("blocking", work));
    assertThat(granted(now(engine.beginAsync(KEY, PRINT, Policy.create(), closed)))).isNotNull();
  }

  private CompletionStage<Decision> beginAsync() {
    return engine.beginAsync(KEY, PRINT, Policy.create(), loop);
  }

  @Test
  void anOperationIsEndedOnce() {
    Operation operation = begun();
    assertThat(now(operation.completeAsync(text("done"), loop)))
        .isInstanceOf(Ending.Recorded.class);
    assertThatThrownBy(() -> operation.completeAsync(text("again"), loop))
        .isInstanceOf(IllegalStateException.class);
  }
}
