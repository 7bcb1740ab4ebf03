// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.LAPSE;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.retrysafe.Bytes;
import io.retrysafe.ClaimLostException;
import io.retrysafe.Codec;
import io.retrysafe.Decision;
import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.Lookup;
import io.retrysafe.OnFailure;
import io.retrysafe.Operation;
import io.retrysafe.OperationFailedException;
import io.retrysafe.Outcome;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.TestEngines;
import io.retrysafe.Work;
import io.retrysafe.internal.engine.FlakyStore.Fault;
import io.retrysafe.store.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StepsTest {
  private static final Policy RESUME = Policy.create().failures(OnFailure.RESUME);
  private static final Policy RERUN = Policy.create().recovery(Recovery.rerun());

  /** Thrown where a process would crash: the engine is never told. */
  private static final class Crash extends Error {
    private static final long serialVersionUID = 1L;
  }

  private final EngineWorld world = new EngineWorld();
  private final FlakyStore line = new FlakyStore(world.store.behind());
  private final List<String> done = new ArrayList<>();

  private String did(String what) {
    done.add(what);
    return what + "'s result";
  }

  /** Runs work in a process that crashes where the work says so; the world goes on without it. */
  private void crash(Policy policy, Work<String, RuntimeException> work) {
    ManualRuntime frozen = new ManualRuntime();
    Retrysafe process = TestEngines.builder(world.store, frozen).policy(policy).build();
    Operation operation = granted(process.begin(KEY, PRINT));
    assertThat(catchThrowable(() -> work.run(operation))).isInstanceOf(Crash.class);
    world.runtime.advance(LAPSE);
  }

  @Test
  void aRememberedStepIsNeverRepeated() {
    crash(
        RERUN,
        operation -> {
          operation.step("charge", Codec.string(), () -> did("charge"));
          throw new Crash();
        });

    String result =
        world.engine.run(
            KEY,
            PRINT,
            RERUN,
            Codec.string(),
            operation -> operation.step("charge", Codec.string(), () -> did("charge")) + " shown");

    assertThat(result).isEqualTo("charge's result shown");
    assertThat(done).containsExactly("charge");
  }

  @Test
  void aStepThatCrashedBeforeItWasRememberedIsRepeatedUnderTheSameDownstreamKey() {
    crash(
        RERUN,
        operation ->
            operation.step(
                "charge",
                Codec.string(),
                () -> {
                  did(operation.downstreamKey("bank"));
                  throw new Crash();
                }));

    world.engine.run(
        KEY,
        PRINT,
        RERUN,
        Codec.string(),
        operation ->
            operation.step("charge", Codec.string(), () -> did(operation.downstreamKey("bank"))));

    assertThat(done).hasSize(2);
    assertThat(done.get(0)).isEqualTo(done.get(1));
  }

  @Test
  void aResumedOperationGoesOnAfterItsLastStep() {
    Work<String, RuntimeException> order =
        operation -> {
          operation.step("reserve", Codec.string(), () -> did("reserve"));
          if (operation.attempt() == 1) {
            throw new IllegalStateException("bank is down");
          }
          return operation.step("charge", Codec.string(), () -> did("charge"));
        };

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, RESUME, Codec.string(), order))
        .hasMessage("bank is down");
    assertThat(world.state()).contains(State.RESUMABLE);
    assertThat(world.engine.run(KEY, PRINT, RESUME, Codec.string(), order))
        .isEqualTo("charge's result");
    assertThat(done).containsExactly("reserve", "charge");
  }

  @Test
  void anOperationWithRememberedStepsIsNeverFreed() {
    Operation operation = granted(world.engine.begin(KEY, PRINT));
    operation.step("charge", Codec.string(), () -> did("charge"));

    operation.release();

    assertThat(world.state()).contains(State.RESUMABLE);
  }

  @Test
  void aNameMayBeUsedOnceInAnAttempt() {
    Operation operation = granted(world.engine.begin(KEY, PRINT));
    operation.step("charge", Codec.string(), () -> did("charge"));

    assertThatThrownBy(() -> operation.step("charge", Codec.string(), () -> did("again")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("\"charge\" was used twice");
    assertThat(done).containsExactly("charge");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "~undone charge", "tab\there", "größe"})
  void aBadNameIsRefusedBeforeTheStepRuns(String name) {
    Operation operation = granted(world.engine.begin(KEY, PRINT));

    assertThatThrownBy(() -> operation.step(name, Codec.string(), () -> did("charge")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> operation.step("n".repeat(101), Codec.string(), () -> did("charge")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(done).isEmpty();
  }

  @Test
  void aStepOfALostClaimStopsTheWork() {
    String answer =
        world.engine.run(
            KEY,
            PRINT,
            Codec.string(),
            operation -> {
              world.store.plan("renew", Fault.LOST_CALL, 100_000);
              world.runtime.advance(LAPSE);
              granted(world.engine(RERUN).begin(KEY, PRINT)).complete(text("second"));
              operation.step("charge", Codec.string(), () -> did("charge"));
              return did("after");
            });

    assertThat(answer).isEqualTo("second");
    assertThat(done).containsExactly("charge");
  }

  /** Returns an operation that another process took over, which its owner has learned. */
  private Operation takenOverAndKnowsIt() {
    Operation slow = granted(world.engine.begin(KEY, PRINT));
    world.store.plan("renew", Fault.LOST_CALL, 100_000);
    world.runtime.advance(LAPSE);
    granted(world.engine(RERUN).begin(KEY, PRINT));
    world.store.heal();
    world.runtime.advance(java.time.Duration.ofSeconds(10));
    return slow;
  }

  @Test
  void workThatIsKnownToBeLostStartsNoFurtherStep() {
    Operation slow = takenOverAndKnowsIt();

    assertThatThrownBy(() -> slow.step("charge", Codec.string(), () -> did("charge")))
        .isInstanceOf(ClaimLostException.class);
    assertThat(done).isEmpty();
  }

  @Test
  void aStepThatCouldNotBeRememberedLeavesTheOutcomeUnknown() {
    world.store.plan("step", Fault.LOST_CALL, 1000);
    Work<String, RuntimeException> work =
        operation -> operation.step("charge", Codec.string(), () -> did("charge"));

    StoreUnavailableException thrown =
        (StoreUnavailableException)
            catchThrowable(() -> world.engine.run(KEY, PRINT, Codec.string(), work));

    assertThat(thrown.workRan()).isTrue();
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void aStepWhoseAnswerWasLostIsRemembered() {
    world.store.plan("step", Fault.LOST_ANSWER, 3);
    Operation operation = granted(world.engine.begin(KEY, PRINT));

    assertThat(operation.step("charge", Codec.string(), () -> did("charge")))
        .isEqualTo("charge's result");
    assertThat(world.kinds()).contains(Event.Kind.STEP);
  }

  @Test
  void stepsOverTheLimitAreRefused() {
    Operation operation = granted(world.engine.begin(KEY, PRINT));
    String large = "x".repeat(world.store.largestSteps() + 1);

    assertThatThrownBy(() -> operation.step("charge", Codec.string(), () -> large))
        .isInstanceOf(StoreUnavailableException.class)
        .hasRootCauseMessage("the steps of " + KEY + " would take 65543 bytes, at most 65536 fit");
  }

  // Compensation

  private Work<String, RuntimeException> order(boolean crashesUndoing) {
    return operation -> {
      operation.step(
          "reserve",
          Codec.string(),
          () -> did("reserve"),
          result -> undo("reserve", crashesUndoing && operation.attempt() == 1));
      operation.step(
          "charge", Codec.string(), () -> did("charge"), result -> undo("charge", false));
      operation.step(
          "ship",
          Codec.string(),
          () -> {
            throw new IllegalStateException("no truck");
          });
      return "shipped";
    };
  }

  private void undo(String what, boolean crashes) {
    done.add("undo " + what);
    if (crashes) {
      line.cut();
      throw new Crash();
    }
  }

  @Test
  void whenALaterStepFailsForGoodTheEarlierOnesAreUndoneInReverseOrder() {
    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, Codec.string(), order(false)))
        .hasMessage("no truck");

    assertThat(done).containsExactly("reserve", "charge", "undo charge", "undo reserve");
    assertThat(world.state()).contains(State.FAILED);
    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, Codec.string(), order(false)))
        .isInstanceOf(OperationFailedException.class)
        .hasMessageContaining("no truck");
    assertThat(world.kinds().stream().filter(Event.Kind.COMPENSATED::equals)).hasSize(2);
  }

  @Test
  void aFailureThatMayBeResumedUndoesNothing() {
    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, RESUME, Codec.string(), order(false)))
        .hasMessage("no truck");

    assertThat(done).containsExactly("reserve", "charge");
    assertThat(world.state()).contains(State.RESUMABLE);
  }

  private void crashWhileUndoing() {
    Retrysafe process = TestEngines.builder(line, new ManualRuntime()).policy(RERUN).build();
    assertThat(catchThrowable(() -> process.run(KEY, PRINT, Codec.string(), order(true))))
        .hasMessage("no truck");
    world.runtime.advance(LAPSE);
  }

  @Test
  void aCrashInTheMiddleOfUndoingGoesOnWhereItWas() {
    crashWhileUndoing();

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, RERUN, Codec.string(), order(false)))
        .isInstanceOf(OperationFailedException.class)
        .hasMessageContaining("no truck");

    assertThat(done)
        .containsExactly("reserve", "charge", "undo charge", "undo reserve", "undo reserve");
    assertThat(world.state()).contains(State.FAILED);
  }

  @Test
  void anOperationThatIsBeingUndoneNeverGoesForwardAgain() {
    crashWhileUndoing();
    Work<String, RuntimeException> nowItWouldWork =
        operation -> {
          operation.step(
              "reserve", Codec.string(), () -> did("reserve"), result -> undo("reserve", false));
          operation.step(
              "charge", Codec.string(), () -> did("charge"), result -> undo("charge", false));
          return "nothing to ship";
        };

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, RERUN, Codec.string(), nowItWouldWork))
        .isInstanceOf(OperationFailedException.class);

    assertThat(done).endsWith("undo charge", "undo reserve", "undo reserve");
    assertThat(world.state()).contains(State.FAILED);
  }

  @Test
  void aRefusalDoesNotEraseTheDoubtAboutAnEarlierAttemptWithSteps() {
    crash(
        RERUN,
        operation -> {
          operation.step("charge", Codec.string(), () -> did("charge"));
          throw new Crash();
        });

    granted(world.engine.begin(KEY, PRINT, RERUN)).release();

    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void aFailureIsNotSettledBeforeTheAttemptCameByAllRememberedSteps() {
    crash(
        RERUN,
        operation -> {
          operation.step("charge", Codec.string(), () -> did("charge"), result -> {});
          throw new Crash();
        });
    Work<String, RuntimeException> failsEarly =
        operation -> {
          throw new IllegalStateException("cannot even begin");
        };

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, RERUN, Codec.string(), failsEarly))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasRootCauseMessage("cannot even begin");
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void workThatWrapsTheSilenceOfTheStoreIsUnknownToo() {
    world.store.plan("step", Fault.LOST_CALL, 1000);
    Work<String, RuntimeException> work =
        operation -> {
          try {
            return operation.step("charge", Codec.string(), () -> did("charge"));
          } catch (StoreUnavailableException e) {
            throw new IllegalStateException("wrapped", e);
          }
        };

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, Codec.string(), work))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  private Operation charged(Policy policy) {
    Operation operation = granted(world.engine.begin(KEY, PRINT, policy));
    operation.step("charge", Codec.string(), () -> did("charge"), result -> undo("charge", false));
    return operation;
  }

  private static final Outcome FAILURE = Outcome.failed(500, List.of(), Bytes.utf8("no"));

  @Test
  void anEndedOperationUndoesNothingMore() {
    Operation operation = charged(Policy.create());
    operation.complete(text("done"));

    assertThatThrownBy(() -> operation.fail(FAILURE)).isInstanceOf(IllegalStateException.class);
    assertThat(done).containsExactly("charge");
  }

  @Test
  void anOwnerThatLostItsClaimUndoesNothing() {
    Operation slow = charged(RERUN);
    world.store.plan("renew", Fault.LOST_CALL, 100_000);
    world.runtime.advance(LAPSE);
    granted(world.engine(RERUN).begin(KEY, PRINT)).complete(text("second"));

    assertThat(slow.fail(FAILURE)).isEqualTo(new Ending.Superseded(text("second")));
    assertThat(done).containsExactly("charge");
  }

  @Test
  void undoingThatCannotBeRememberedLeavesTheOutcomeUnknown() {
    Operation operation = charged(Policy.create());
    world.store.plan("step", Fault.LOST_CALL, 1000);

    assertThatThrownBy(() -> operation.fail(FAILURE)).isInstanceOf(StoreUnavailableException.class);
    assertThat(done).containsExactly("charge");
    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(world.kinds()).contains(Event.Kind.UNAVAILABLE);
  }

  @Test
  void aFailureTooLargeToRememberIsRememberedWithoutItsAnswer() {
    Operation operation = charged(Policy.create());
    Outcome large = Outcome.failed(500, List.of(), Bytes.wrap(new byte[20_000]));

    assertThat(operation.fail(large)).isEqualTo(new Ending.Recorded(large));
    assertThat(done).containsExactly("charge", "undo charge");
  }

  @Test
  void aFailureThatIsBeingUndoneStaysForGoodWhateverThePolicySays() {
    crashWhileUndoing();

    assertThatThrownBy(
            () ->
                world.engine.run(
                    KEY, PRINT, RERUN.failures(OnFailure.RESUME), Codec.string(), order(false)))
        .isInstanceOf(OperationFailedException.class);
    assertThat(world.state()).contains(State.FAILED);
  }

  @Test
  void aStepWithAnUndoingIsNotStartedOnceTheClaimIsLost() {
    Operation slow = takenOverAndKnowsIt();

    assertThatThrownBy(() -> slow.step("charge", Codec.string(), () -> did("charge"), result -> {}))
        .isInstanceOf(ClaimLostException.class);
    assertThat(done).isEmpty();
  }

  @Test
  void aStepWithAnUndoingReturnsItsResult() {
    Operation operation = granted(world.engine.begin(KEY, PRINT));

    assertThat(operation.step("charge", Codec.string(), () -> did("charge"), result -> {}))
        .isEqualTo("charge's result");
  }

  @Test
  void aNameOfAHundredCharactersIsAllowed() {
    Operation operation = granted(world.engine.begin(KEY, PRINT));

    assertThat(operation.step(" ~".repeat(50), Codec.string(), () -> "ok")).isEqualTo("ok");
  }

  @Test
  void anErrorWhileUndoingIsLeftToBeContinuedToo() {
    Work<String, RuntimeException> work =
        operation -> {
          operation.step(
              "reserve",
              Codec.string(),
              () -> did("reserve"),
              result -> {
                throw new StackOverflowError();
              });
          throw new IllegalStateException("no truck");
        };

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, Codec.string(), work))
        .hasMessage("no truck");
    assertThat(world.state()).contains(State.RESUMABLE);
  }

  @Test
  void anUndoingThatFailsIsLeftToBeContinued() {
    Work<String, RuntimeException> stubborn =
        operation -> {
          operation.step(
              "reserve",
              Codec.string(),
              () -> did("reserve"),
              result -> {
                done.add("undo reserve");
                if (operation.attempt() == 1) {
                  throw new IllegalStateException("stock is down");
                }
              });
          throw new IllegalStateException("no truck");
        };

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, Codec.string(), stubborn))
        .hasMessage("no truck");
    assertThat(world.state()).contains(State.RESUMABLE);

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, Codec.string(), stubborn))
        .hasMessageContaining("no truck");
    assertThat(done).containsExactly("reserve", "undo reserve", "undo reserve");
    assertThat(world.state()).contains(State.FAILED);
    assertThat(world.kinds()).containsOnlyOnce(Event.Kind.COMPENSATION_FAILED);
  }

  // Asking whether a step happened

  private Optional<String> atTheBank = Optional.empty();

  private String chargeOnce(Operation operation) {
    return operation.stepWithLookup(
        "charge",
        Codec.string(),
        () -> {
          did("asked");
          return atTheBank;
        },
        () -> did("charge"));
  }

  /** A first attempt that dies after the bank was charged, before that was remembered. */
  private void chargedAndCrashed() {
    crash(
        RERUN,
        operation ->
            operation.stepWithLookup(
                "charge",
                Codec.string(),
                () -> {
                  throw new AssertionError("nothing can have happened yet");
                },
                () -> {
                  did("charge");
                  atTheBank = Optional.of("charge's result");
                  throw new Crash();
                }));
  }

  @Test
  void aStepThatMayHaveHappenedIsAskedForFirst() {
    chargedAndCrashed();

    assertThat(world.engine.run(KEY, PRINT, RERUN, Codec.string(), this::chargeOnce))
        .isEqualTo("charge's result");

    assertThat(done).containsExactly("charge", "asked");
  }

  @Test
  void aStepThatDidNotHappenIsRun() {
    chargedAndCrashed();
    atTheBank = Optional.empty();

    world.engine.run(KEY, PRINT, RERUN, Codec.string(), this::chargeOnce);

    assertThat(done).containsExactly("charge", "asked", "charge");
  }

  @Test
  void aStepThatIsRememberedIsNotAskedFor() {
    crash(
        RERUN,
        operation -> {
          chargeOnce(operation);
          throw new Crash();
        });

    world.engine.run(KEY, PRINT, RERUN, Codec.string(), this::chargeOnce);

    assertThat(done).containsExactly("charge");
  }

  @Test
  void aStepOfWhichNobodyCanTellIsNotRunAndTheOperationStaysUnknown() {
    chargedAndCrashed();
    Work<String, RuntimeException> asking =
        operation ->
            operation.stepWithLookup(
                "charge",
                Codec.string(),
                () -> {
                  throw new java.io.IOException("the bank is down");
                },
                () -> did("charge"));

    assertThatThrownBy(() -> world.engine.run(KEY, PRINT, RERUN, Codec.string(), asking))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasRootCauseMessage("the bank is down");
    assertThat(world.state()).contains(State.UNKNOWN);

    world.engine.run(KEY, PRINT, RERUN, Codec.string(), this::chargeOnce);
    assertThat(done).containsExactly("charge", "asked");
  }

  @Test
  void aStepThatTheLookupFoundIsUndoneWhenTheOperationFails() {
    chargedAndCrashed();

    assertThatThrownBy(
            () ->
                world.engine.run(
                    KEY,
                    PRINT,
                    RERUN,
                    Codec.string(),
                    operation -> {
                      operation.stepWithLookup(
                          "charge",
                          Codec.string(),
                          () -> atTheBank,
                          () -> did("charge"),
                          result -> did("refund of " + result));
                      throw new IllegalStateException("cannot ship");
                    }))
        .hasMessage("cannot ship");

    assertThat(done).containsExactly("charge", "refund of charge's result");
    assertThat(world.state()).contains(State.FAILED);
  }

  // Steps inside a lookup

  @Test
  void aLookupThatRunsAStepIsToldSoAndTheOperationStaysUnknown() {
    Policy mistaken =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation -> {
                      operation.step("charge", Codec.string(), () -> did("charge"));
                      return new Lookup.DidNotHappen();
                    }));
    world.claimedByACrashedProcess(mistaken);
    world.runtime.advance(LAPSE);

    assertThatThrownBy(() -> world.engine.begin(KEY, PRINT, mistaken))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("lookup")
        .hasMessageContaining("step");

    assertThat(done).isEmpty();
    assertThat(world.state()).contains(State.UNKNOWN);
    Policy right = Policy.create().recovery(Recovery.reconcile(o -> new Lookup.DidNotHappen()));
    assertThat(
            world.engine.run(
                KEY,
                PRINT,
                right,
                Codec.string(),
                operation -> operation.step("charge", Codec.string(), () -> did("charge"))))
        .isEqualTo("charge's result");
  }

  @Test
  void aLookupThatRunsAStepLaterIsToldSoToo() {
    CompletableFuture<Lookup.Finding> asked = new CompletableFuture<>();
    Policy mistaken =
        Policy.create()
            .recovery(
                Recovery.reconcile(
                    operation ->
                        new Lookup.Later(
                            asked.thenApply(
                                finding -> {
                                  operation.step("charge", Codec.string(), () -> did("charge"));
                                  return finding;
                                }))));
    world.claimedByACrashedProcess(mistaken);
    world.runtime.advance(LAPSE);
    CompletableFuture<Decision> decided =
        world.engine.beginAsync(KEY, PRINT, mistaken, EngineWorld.LOOP);

    asked.complete(new Lookup.DidNotHappen());

    assertThatThrownBy(decided::join)
        .hasCauseInstanceOf(IllegalStateException.class)
        .hasMessageContaining("lookup");
    assertThat(done).isEmpty();
    assertThat(world.state()).contains(State.UNKNOWN);
  }
}
