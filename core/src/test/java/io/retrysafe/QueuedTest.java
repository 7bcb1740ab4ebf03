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
import io.retrysafe.store.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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
    assertThat(where).containsExactly("loop", "loop", "loop", "loop");
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
  void aStaleOwnerIsToldSoWhereTheEntryCanBeAskedFor() {
    // Nobody renews its lease: its clock stands still.
    Retrysafe crashed =
        Retrysafe.builder(new QueuedStore(world.store)).seam(new ManualSeam()).build();
    Operation stale = granted(now(crashed.beginAsync(KEY, PRINT, RERUN, loop)));
    world.seam.advance(LAPSE);
    Operation next = granted(begin(PRINT, RERUN));
    where.clear();
    assertThat(now(stale.completeAsync(text("stale"), loop))).isInstanceOf(Ending.Lost.class);
    assertThat(where).containsExactly("blocking");
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

  @Test
  void whoeverWaitsOrAsksOthersIsNotQueued() {
    Policy waiting = Policy.create().waitUpTo(Duration.ofSeconds(1));
    Policy asking =
        Policy.create().recovery(Recovery.reconcile(operation -> new Lookup.CannotTell()));
    assertThat(engine.isQueued(Policy.create())).isTrue();
    assertThat(engine.isQueued(waiting)).isFalse();
    assertThat(engine.isQueued(asking)).isFalse();
    assertThat(world.engine.isQueued(Policy.create())).isFalse();
    assertThatThrownBy(() -> engine.beginAsync(KEY, PRINT, waiting, loop))
        .isInstanceOf(IllegalStateException.class);
  }
}
