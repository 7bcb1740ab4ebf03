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

import io.retrysafe.store.State;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BeginTest {
  private final EngineWorld world = new EngineWorld();
  private final Retrysafe engine = world.engine;

  @Test
  void theFirstCallerIsGranted() {
    Operation operation = granted(engine.begin(KEY, PRINT));

    assertThat(operation.attempt()).isEqualTo(1);
    assertThat(operation.key()).isEqualTo(KEY);
    assertThat(operation.isCurrent()).isTrue();
    assertThat(world.kinds()).containsExactly(Event.Kind.CLAIMED);
  }

  @Test
  void aDuplicateIsToldThatItIsInProgress() {
    granted(engine.begin(KEY, PRINT));

    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.InProgress(Duration.ofSeconds(1)));
    assertThat(world.kinds()).containsExactly(Event.Kind.CLAIMED, Event.Kind.CONFLICT);
  }

  @Test
  void howLongToWaitGrowsWithTheAgeAndEndsWithTheLease() {
    granted(engine.begin(KEY, PRINT));
    world.seam.advance(Duration.ofSeconds(8));
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.InProgress(Duration.ofSeconds(8)));

    Retrysafe other = world.engine(Policy.create());
    world.seam.advance(Duration.ofMinutes(10));
    Decision.InProgress late = (Decision.InProgress) other.begin(KEY, PRINT);
    assertThat(late.retryAfter()).isLessThanOrEqualTo(EngineWorld.LEASE);
  }

  @Test
  void aSettledOperationIsReplayed() {
    granted(engine.begin(KEY, PRINT)).complete(text("receipt"));

    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("receipt")));
    assertThat(world.kinds()).endsWith(Event.Kind.COMPLETED, Event.Kind.REPLAYED);
  }

  @Test
  void anotherRequestUnderTheKeyIsAMismatchEvenWhileTheFirstRuns() {
    Operation operation = granted(engine.begin(KEY, PRINT));
    assertThat(engine.begin(KEY, OTHER_PRINT)).isEqualTo(new Decision.Mismatch());

    operation.complete(text("receipt"));
    assertThat(engine.begin(KEY, OTHER_PRINT)).isEqualTo(new Decision.Mismatch());
    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.Replay(text("receipt")));
  }

  @Test
  void fingerprintsOfDifferentRecipesAreNotCompared() {
    granted(engine.begin(KEY, PRINT)).complete(text("receipt"));
    Fingerprint newRecipe = Fingerprint.sha256("text-2", Bytes.utf8("EUR 25.00"));

    assertThat(engine.begin(KEY, newRecipe)).isEqualTo(new Decision.Replay(text("receipt")));
    assertThat(world.kinds()).contains(Event.Kind.NOT_COMPARED);
  }

  @Test
  void aResumableOperationOfAnotherRecipeIsNotRun() {
    Policy resume = Policy.create().failures(Failures.RESUME);
    granted(engine.begin(KEY, PRINT, resume))
        .fail(Outcome.failed(0, java.util.List.of(), Bytes.EMPTY));
    Fingerprint newRecipe = Fingerprint.sha256("text-2", Bytes.utf8("EUR 25.00"));

    assertThat(engine.begin(KEY, newRecipe)).isEqualTo(new Decision.OutcomeUnknown());
  }

  @Test
  void aLapsedOperationIsParkedByDefault() {
    world.claimedByACrashedProcess(Policy.create());
    world.seam.advance(LAPSE);

    assertThat(engine.begin(KEY, PRINT)).isEqualTo(new Decision.OutcomeUnknown());
    assertThat(world.kinds()).containsExactly(Event.Kind.PARKED);
    assertThat(world.state()).contains(State.UNKNOWN);
  }

  @Test
  void aLapsedOperationIsRerunWhereThePolicySaysSo() {
    Operation crashed = world.claimedByACrashedProcess(Policy.create());
    world.seam.advance(LAPSE);
    Policy rerun = Policy.create().recovery(Recovery.rerun());

    Operation second = granted(engine.begin(KEY, PRINT, rerun));

    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.fence()).isGreaterThan(crashed.fence());
    assertThat(world.kinds()).containsExactly(Event.Kind.TAKEN_OVER);
  }

  @Test
  void rerunsEndAtTheirBounds() {
    Policy twice = Policy.create().recovery(Recovery.rerun(2, Duration.ofHours(1)));
    world.claimedByACrashedProcess(twice);
    world.seam.advance(LAPSE);
    granted(engine.begin(KEY, PRINT, twice)).unknown();
    assertThat(engine.begin(KEY, PRINT, twice)).isEqualTo(new Decision.OutcomeUnknown());

    Policy oneMinute = Policy.create().recovery(Recovery.rerun(5, Duration.ofMinutes(1)));
    world.seam.advance(Duration.ofMinutes(1));
    assertThat(engine.begin(KEY, PRINT, oneMinute)).isEqualTo(new Decision.OutcomeUnknown());
  }

  @Test
  void aSettledOperationIsForgottenAfterItsRetention() {
    granted(engine.begin(KEY, PRINT)).complete(text("receipt"));
    world.seam.advance(Duration.ofHours(24));

    assertThat(granted(engine.begin(KEY, OTHER_PRINT)).attempt()).isEqualTo(1);
  }

  @Test
  void aClosedEngineBeginsNothing() {
    engine.close();

    assertThat(world.seam.isStopped()).isTrue();
    assertThatThrownBy(() -> engine.begin(KEY, PRINT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aRetentionLongerThanUnsettledEntriesLiveIsRefused() {
    Policy tooLong = Policy.create().retention(Duration.ofDays(31));

    assertThatThrownBy(() -> engine.begin(KEY, PRINT, tooLong))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("31d")
        .hasMessageContaining("unsettledRetention");
    assertThat(granted(engine.begin(KEY, PRINT, Policy.create().retention(Duration.ofDays(30)))))
        .isNotNull();
  }
}
