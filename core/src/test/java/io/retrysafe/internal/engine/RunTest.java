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
import static org.assertj.core.api.Assertions.catchThrowable;

import io.retrysafe.Action;
import io.retrysafe.AnswerNotKeptException;
import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.Decision;
import io.retrysafe.Ending;
import io.retrysafe.InProgressException;
import io.retrysafe.MismatchException;
import io.retrysafe.OnFailure;
import io.retrysafe.Operation;
import io.retrysafe.OperationFailedException;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.Work;
import io.retrysafe.internal.engine.FlakyStore.Fault;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RunTest {
  private static final Policy RERUN = Policy.create().recovery(Recovery.rerun());

  private final EngineWorld world = new EngineWorld();
  private final Retrysafe engine = world.engine;
  private final AtomicInteger charges = new AtomicInteger();

  private String charge(Operation operation) {
    return "receipt " + charges.incrementAndGet();
  }

  private String run() {
    return engine.run(KEY, PRINT, Codec.string(), this::charge);
  }

  @Test
  void workRunsOnceAndItsResultIsGivenToEveryRetry() {
    assertThat(run()).isEqualTo("receipt 1");
    assertThat(run()).isEqualTo("receipt 1");
    assertThat(charges).hasValue(1);
  }

  @Test
  void workWithoutAResultRunsOnce() {
    Action<RuntimeException> action = operation -> charges.incrementAndGet();
    engine.run(KEY, PRINT, action);
    engine.run(KEY, PRINT, action);

    assertThat(charges).hasValue(1);
  }

  @Test
  void anExceptionReachesTheFirstCallerAsItIsAndRetriesGetItsTypeAndMessage() {
    CardDeclined failure = new CardDeclined();
    Work<String, CardDeclined> failing =
        operation -> {
          throw failure;
        };

    assertThat(catchThrowable(() -> engine.run(KEY, PRINT, Codec.string(), failing)))
        .isSameAs(failure);
    OperationFailedException retry = (OperationFailedException) catchThrowable(this::run);
    assertThat(retry.type()).isEqualTo(CardDeclined.class.getName());
    assertThat(retry).hasMessageContaining("card declined");
    assertThat(charges).hasValue(0);
  }

  private static final class CardDeclined extends Exception {
    private static final long serialVersionUID = 1L;

    CardDeclined() {
      super("card declined");
    }
  }

  private static Work<String, IOException> timingOut(IOException failure) {
    return operation -> {
      throw failure;
    };
  }

  @Test
  void aTimeOutReachesTheFirstCallerAsItIsAndLeavesTheOutcomeUnknown() {
    IOException failure = new SocketTimeoutException("Read timed out");

    assertThat(catchThrowable(() -> engine.run(KEY, PRINT, Codec.string(), timingOut(failure))))
        .isSameAs(failure);

    assertThat(world.state()).contains(State.UNKNOWN);
    assertThat(catchThrowable(this::run)).isInstanceOf(OutcomeUnknownException.class);
    assertThat(charges).hasValue(0);
    assertThat(engine.run(KEY, PRINT, RERUN, Codec.string(), this::charge)).isEqualTo("receipt 1");
  }

  @Test
  void aTimeOutIsUnknownWhateverFailuresSay() {
    for (OnFailure failures : OnFailure.values()) {
      OperationKey key = OperationKey.of(KEY.scope(), failures.name());
      Policy policy = Policy.create().failures(failures);
      IOException failure = new IOException("cut");

      assertThat(
              catchThrowable(
                  () -> engine.run(key, PRINT, policy, Codec.string(), timingOut(failure))))
          .isSameAs(failure);
      assertThat(engine.begin(key, PRINT, policy)).isEqualTo(new Decision.OutcomeUnknown());
    }
  }

  @Test
  void aPolicySaysWhichExceptionsAreUnknown() {
    Policy never = Policy.create().unknownOn(failure -> false);
    IOException cut = new IOException("cut");
    assertThat(catchThrowable(() -> engine.run(KEY, PRINT, never, Codec.string(), timingOut(cut))))
        .isSameAs(cut);
    assertThat(world.state()).contains(State.FAILED);

    OperationKey other = OperationKey.of(KEY.scope(), "other");
    Policy broken =
        Policy.create()
            .unknownOn(
                failure -> {
                  throw new IllegalStateException("a mistake in the predicate");
                });
    assertThat(
            catchThrowable(() -> engine.run(other, PRINT, broken, Codec.string(), timingOut(cut))))
        .isSameAs(cut);
    assertThat(engine.begin(other, PRINT)).isEqualTo(new Decision.OutcomeUnknown());
  }

  @Test
  void everyFailureMayLeaveTheOutcomeUnknown() {
    Policy unknown = Policy.create().failures(OnFailure.UNKNOWN);
    IllegalStateException failure = new IllegalStateException("no");
    Work<String, RuntimeException> failing =
        operation -> {
          throw failure;
        };

    assertThat(catchThrowable(() -> engine.run(KEY, PRINT, unknown, Codec.string(), failing)))
        .isSameAs(failure);
    assertThat(world.state()).contains(State.UNKNOWN);

    OperationKey other = OperationKey.of(KEY.scope(), "other");
    assertThat(
            granted(engine.begin(other, PRINT, unknown))
                .fail(Outcome.failed(500, List.of(), Bytes.EMPTY)))
        .isEqualTo(new Ending.Left(Release.UNKNOWN));
  }

  @Test
  void aTimeOutInAJoinedTransactionIsRolledBackAndFreesTheKey() {
    for (OnFailure failures : List.of(OnFailure.RELEASE, OnFailure.UNKNOWN)) {
      Policy joined = Policy.create().failures(failures);
      Work<String, IOException> timingOut =
          operation -> {
            operation.settleWith((owner, outcome, retention) -> true);
            throw new IOException("cut");
          };

      assertThat(catchThrowable(() -> engine.run(KEY, PRINT, joined, Codec.string(), timingOut)))
          .isInstanceOf(IOException.class);

      assertThat(world.state()).isEmpty();
    }
  }

  @Test
  void aFailureIsRecordedWhateverItsMessageHolds() {
    String message = "x".repeat(1999) + "\ud83d\ude00\0";
    Work<String, RuntimeException> failing =
        operation -> {
          throw new IllegalStateException(message);
        };

    assertThat(catchThrowable(() -> engine.run(KEY, PRINT, Codec.string(), failing)))
        .hasMessage(message);
    assertThat(world.state()).contains(State.FAILED);
    assertThat(catchThrowable(this::run)).hasMessageContaining("x\ufffd");
  }

  @Test
  void anErrorIsAFailureToo() {
    Work<String, RuntimeException> failing =
        operation -> {
          throw new AssertionError();
        };

    assertThat(catchThrowable(() -> engine.run(KEY, PRINT, Codec.string(), failing)))
        .isInstanceOf(AssertionError.class);
    assertThat(world.state()).contains(State.FAILED);
    assertThat(catchThrowable(this::run)).isInstanceOf(OperationFailedException.class);
  }

  @Test
  void aDuplicateOfRunningWorkIsRejected() {
    String result =
        engine.run(
            KEY,
            PRINT,
            Codec.string(),
            operation -> {
              InProgressException duplicate = (InProgressException) catchThrowable(this::run);
              assertThat(duplicate.retryAfter()).isPositive();
              assertThat(duplicate.key()).isEqualTo(KEY);
              return charge(operation);
            });

    assertThat(result).isEqualTo("receipt 1");
  }

  @Test
  void anotherRequestUnderTheKeyIsRejected() {
    run();

    assertThatThrownBy(() -> engine.run(KEY, OTHER_PRINT, Codec.string(), this::charge))
        .isInstanceOf(MismatchException.class)
        .hasMessageContaining("new key")
        .hasMessageNotContaining("order-1001");
    assertThat(charges).hasValue(1);
  }

  @Test
  void anUnknownOutcomeIsRejected() {
    granted(engine.begin(KEY, PRINT)).unknown();

    assertThatThrownBy(this::run).isInstanceOf(OutcomeUnknownException.class);
    assertThat(charges).hasValue(0);
  }

  @Test
  void workMayRefuseAndItsCallerGetsItsOwnWords() {
    Work<String, IllegalArgumentException> refusing =
        operation -> {
          operation.release();
          throw new IllegalArgumentException("amount must be positive");
        };

    assertThatThrownBy(() -> engine.run(KEY, PRINT, Codec.string(), refusing))
        .hasMessage("amount must be positive");
    assertThat(engine.run(KEY, OTHER_PRINT, Codec.string(), this::charge)).isEqualTo("receipt 1");
  }

  @Test
  void workMayRefuseAndStillAnswer() {
    String answer =
        engine.run(
            KEY,
            PRINT,
            Codec.string(),
            operation -> {
              operation.release();
              return "refused";
            });

    assertThat(answer).isEqualTo("refused");
    assertThat(world.state()).isEmpty();
  }

  @Test
  void workMaySayThatItDoesNotKnow() {
    Work<String, IOException> unsure =
        operation -> {
          operation.unknown();
          throw new IOException("timed out");
        };

    assertThatThrownBy(() -> engine.run(KEY, PRINT, Codec.string(), unsure))
        .hasMessage("timed out");
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void anAnswerThatWasNotKeptIsSaidToBeSo() {
    Policy small = Policy.create().largestAnswer(3);

    assertThat(engine.run(KEY, PRINT, small, Codec.string(), this::charge)).isEqualTo("receipt 1");
    assertThatThrownBy(this::run).isInstanceOf(AnswerNotKeptException.class);
    assertThat(charges).hasValue(1);
  }

  @Test
  void workWhoseResultCannotBeEncodedIsDoneNevertheless() {
    Codec<String> broken =
        Codec.of(
            result -> {
              throw new IllegalStateException("cannot encode");
            },
            Bytes::toUtf8);

    assertThatThrownBy(() -> engine.run(KEY, PRINT, broken, this::charge))
        .hasMessage("cannot encode");
    assertThatThrownBy(this::run).isInstanceOf(AnswerNotKeptException.class);
    assertThat(charges).hasValue(1);
  }

  @Test
  void aStaleOwnersCallerGetsWhatWasRecorded() {
    String answer =
        engine.run(
            KEY,
            PRINT,
            Codec.string(),
            operation -> {
              takenOverAndCompleted("second");
              return "first";
            });

    assertThat(answer).isEqualTo("second");
  }

  @Test
  void aStaleOwnersCallerGetsWhatWasRecordedEvenIfItsOwnWorkFailed() {
    String answer =
        engine.run(
            KEY,
            PRINT,
            Codec.string(),
            operation -> {
              takenOverAndCompleted("second");
              throw new IllegalStateException("first failed");
            });

    assertThat(answer).isEqualTo("second");
  }

  @Test
  void aStaleOwnersCallerIsToldUnknownWhileNothingIsRecorded() {
    Work<String, RuntimeException> takenOver =
        operation -> {
          lapse();
          granted(world.engine(RERUN).begin(KEY, PRINT));
          return "first";
        };
    assertThatThrownBy(() -> engine.run(KEY, PRINT, Codec.string(), takenOver))
        .isInstanceOf(OutcomeUnknownException.class);
  }

  @Test
  void aFailedStaleOwnersCallerIsToldUnknownAndWhy() {
    Work<String, RuntimeException> takenOver =
        operation -> {
          lapse();
          granted(world.engine(RERUN).begin(KEY, PRINT));
          throw new IllegalStateException("first failed");
        };
    assertThatThrownBy(() -> engine.run(KEY, PRINT, Codec.string(), takenOver))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasRootCauseMessage("first failed");
  }

  @Test
  void successIsNotShownBeforeItIsRecorded() {
    world.store.plan("complete", Fault.LOST_CALL, 1000);

    assertThatThrownBy(this::run)
        .isInstanceOfSatisfying(
            StoreUnavailableException.class, thrown -> assertThat(thrown.workRan()).isTrue());
  }

  @Test
  void aFailureIsNotShownBeforeItIsRecorded() {
    world.store.plan("complete", Fault.LOST_CALL, 1000);
    CardDeclined failure = new CardDeclined();
    Work<String, CardDeclined> failing =
        operation -> {
          throw failure;
        };

    Throwable thrown = catchThrowable(() -> engine.run(KEY, PRINT, Codec.string(), failing));

    assertThat(thrown)
        .isInstanceOf(StoreUnavailableException.class)
        .hasSuppressedException(failure);
  }

  @Test
  void aLongMessageIsCut() {
    Work<String, RuntimeException> failing =
        operation -> {
          throw new IllegalStateException("x".repeat(100_000));
        };
    assertThatThrownBy(() -> engine.run(KEY, PRINT, Codec.string(), failing))
        .isInstanceOf(IllegalStateException.class);

    Throwable retry = catchThrowable(this::run);
    assertThat(retry.getMessage()).hasSizeBetween(2000, 2200);
  }

  private void lapse() {
    world.store.plan("renew", Fault.LOST_CALL, 100_000);
    world.runtime.advance(LAPSE);
    world.store.heal();
  }

  private void takenOverAndCompleted(String answer) {
    lapse();
    granted(world.engine(RERUN).begin(KEY, PRINT)).complete(text(answer));
  }
}
