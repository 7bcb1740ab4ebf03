// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static io.retrysafe.internal.engine.EngineWorld.KEY;
import static io.retrysafe.internal.engine.EngineWorld.LAPSE;
import static io.retrysafe.internal.engine.EngineWorld.PRINT;
import static io.retrysafe.internal.engine.EngineWorld.granted;
import static io.retrysafe.internal.engine.EngineWorld.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.Decision;
import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.Operation;
import io.retrysafe.Outcome;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.State;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettlingTransactionTest {
  private final EngineWorld world = new EngineWorld();
  private final Operation operation = granted(world.engine.begin(KEY, PRINT));

  @Test
  void aResultIsSettledByItsOwner() {
    operation.settleWith(world.store.behind()::complete);

    assertThat(operation.complete(text("receipt"))).isEqualTo(new Ending.Recorded(text("receipt")));
    assertThat(world.store.calls("complete")).isZero();
    assertThat(world.engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("receipt")));
    assertThatThrownBy(() -> operation.complete(text("again")))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> operation.settleWith((owner, outcome, retention) -> true))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void aFailureIsStillTheStoresToRecord() {
    operation.settleWith(
        (owner, outcome, retention) -> {
          throw new AssertionError("a failure has no effect to settle with");
        });

    operation.fail(Outcome.failed(500, List.of(), Bytes.EMPTY));

    assertThat(world.state()).contains(State.FAILED);
  }

  @Test
  void whatWasNotSettledBecauseTheClaimIsGoneIsLost() {
    operation.settleWith((owner, outcome, retention) -> false);

    assertThat(operation.complete(text("receipt"))).isEqualTo(new Ending.Lost());
    assertThat(operation.isCurrent()).isFalse();
    assertThatThrownBy(operation::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatNobodyKnowsToBeSettledLapses() {
    operation.settleWith(
        (owner, outcome, retention) -> {
          throw new NoAnswerException("no answer to COMMIT", null);
        });

    assertThatThrownBy(() -> operation.complete(text("receipt")))
        .isInstanceOfSatisfying(
            StoreUnavailableException.class, thrown -> assertThat(thrown.workRan()).isTrue());
    world.runtime.advance(LAPSE);

    assertThat(world.kinds()).contains(Event.Kind.UNAVAILABLE);
    assertThat(world.state()).contains(State.UNKNOWN);
    assertThatThrownBy(operation::release).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void whatCouldNotBeSettledFails() {
    operation.settleWith(
        (owner, outcome, retention) -> {
          throw new IllegalStateException("rolled back");
        });

    assertThatThrownBy(() -> operation.complete(text("receipt"))).hasMessage("rolled back");
    assertThat(world.state()).contains(State.FAILED);
  }
}
