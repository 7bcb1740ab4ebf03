// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Plants defects and sees that the simulator finds each of them. */
final class TeethTest {
  private static final long ALL_WITHIN = TimeUnit.SECONDS.toMillis(90);

  private enum Planted {
    NO_TOKEN_CHECK(BrokenStores.NoTokenCheck::new, "P4"),
    COUNTER_AS_FENCE(BrokenStores.CounterAsFence::new, "P4"),
    CHECK_THEN_ACT(BrokenStores.CheckThenAct::new, "P1", "P7", "P11"),
    NO_STATUS_CHECK(BrokenStores.NoStatusCheck::new, "P4"),
    EXPIRES_WITH_LEASE(BrokenStores.ExpiresWithLease::new, "P8"),
    CALLERS_CLOCK(BrokenStores.CallersClock::new, "P1", "P7", "P8"),
    WAITER_FREES_OWNER(BrokenEngines.WaiterFreesOwner::new, "P13"),
    STATE_BEFORE_FINGERPRINT(BrokenEngines.StateBeforeFingerprint::new, "P11"),
    UNKNOWN_AS_FAILED(BrokenEngines.UnknownAsFailed::new, "P15"),
    ANSWER_BEFORE_RECORD(BrokenEngines.AnswerBeforeRecord::new, "P10", "P15"),
    STEPS_ELSEWHERE(BrokenEngines.StepsElsewhere::new, "S1", "S2"),
    RERUN_WITHOUT_BOUND(BrokenEngines.RerunWithoutBound::new, "P3"),
    NEVER_GIVES_UP(BrokenEngines.NeverGivesUp::new, "P12");

    private final Supplier<Defect> defect;
    private final Set<String> properties;

    Planted(Supplier<Defect> defect, String... properties) {
      this.defect = defect;
      this.properties = Set.of(properties);
    }
  }

  @Test
  void everyPlantedDefectIsFound() throws InterruptedException {
    long start = System.nanoTime();
    for (Planted planted : Planted.values()) {
      long begun = System.nanoTime();
      long left = ALL_WITHIN - TimeUnit.NANOSECONDS.toMillis(begun - start);
      Simulator simulator = new Simulator(planted.defect);
      Optional<Simulator.Failure> failure = simulator.run(1, left);
      System.out.printf(
          "%-25s %s after %,d histories, %,d ms%n",
          planted,
          failure.map(found -> found.violation().property()).orElse("NOT FOUND"),
          simulator.histories(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
      assertThat(failure).as(planted + " was found").isPresent();
      assertThat(planted.properties).contains(failure.get().violation().property());
    }
  }
}
