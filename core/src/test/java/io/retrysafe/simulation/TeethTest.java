// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Plants defects and sees that the simulator finds each of them. */
final class TeethTest {
  private static final long ALL_WITHIN = TimeUnit.SECONDS.toMillis(90);

  private record Planted(String name, Supplier<Defect> defect, Set<String> properties) {}

  private static final List<Planted> PLANTED =
      List.of(
          planted("no token check", BrokenStores.NoTokenCheck::new, "P4"),
          planted("counter as fence", BrokenStores.CounterAsFence::new, "P4"),
          planted("check-then-act", BrokenStores.CheckThenAct::new, "P1", "P7", "P11"),
          planted("completion without status check", BrokenStores.NoStatusCheck::new, "P4"),
          planted("unsettled expires with lease", BrokenStores.ExpiresWithLease::new, "P8"),
          planted("callers' clocks", BrokenStores.CallersClock::new, "P1", "P7", "P8"),
          planted("waiter frees owner", BrokenEngines.WaiterFreesOwner::new, "P13"),
          planted("state before fingerprint", BrokenEngines.StateBeforeFingerprint::new, "P11"),
          planted("unknown as failed", BrokenEngines.UnknownAsFailed::new, "P15"),
          planted("answer before record", BrokenEngines.AnswerBeforeRecord::new, "P10", "P15"),
          planted("steps elsewhere", BrokenEngines.StepsElsewhere::new, "S1", "S2"),
          planted("rerun without bound", BrokenEngines.RerunWithoutBound::new, "P3"),
          planted("never gives up a claim", BrokenEngines.NeverGivesUp::new, "P12"));

  private static Planted planted(String name, Supplier<Defect> defect, String... properties) {
    return new Planted(name, defect, Set.of(properties));
  }

  @Test
  void everyPlantedDefectIsFound() throws InterruptedException {
    long start = System.nanoTime();
    for (Planted planted : PLANTED) {
      long begun = System.nanoTime();
      long left = ALL_WITHIN - TimeUnit.NANOSECONDS.toMillis(begun - start);
      Simulator simulator = new Simulator(planted.defect);
      Optional<Simulator.Failure> failure = simulator.run(1, left);
      System.out.printf(
          "%-32s %s after %,d histories, %,d ms%n",
          planted.name(),
          failure.map(found -> found.violation().property()).orElse("NOT FOUND"),
          simulator.histories(),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
      assertThat(failure).as(planted.name() + " was found").isPresent();
      assertThat(planted.properties).contains(failure.get().violation().property());
    }
  }
}
