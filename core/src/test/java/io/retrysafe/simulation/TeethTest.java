// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.simulation.World.Watch;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Plants defects and sees that the simulator finds each of them, all within 90 s: 30 s where it may
 * look into the store, 60 s where it may not.
 */
final class TeethTest {

  private record Planted(String name, Supplier<Defect> defect, Set<String> properties) {}

  private static final List<Planted> PLANTED =
      List.of(
          planted("no token check", BrokenStores.NoTokenCheck::new, "P4"),
          planted("counter as fence", BrokenStores.CounterAsFence::new, "P4"),
          planted("check-then-act", BrokenStores.CheckThenAct::new, "P1", "P7", "P11"),
          planted("completion without status check", BrokenStores.NoStatusCheck::new, "P4"),
          planted("unsettled expires with lease", BrokenStores.ExpiresWithLease::new, "P8", "P15"),
          planted("callers' clocks", BrokenStores.CallersClock::new, "P1", "P7", "P8", "P12"),
          planted("waiter frees owner", BrokenEngines.WaiterFreesOwner::new, "P13"),
          planted("state before fingerprint", BrokenEngines.StateBeforeFingerprint::new, "P11"),
          planted("unknown as failed", BrokenEngines.UnknownAsFailed::new, "P15"),
          planted("answer before record", BrokenEngines.AnswerBeforeRecord::new, "P10", "P15"),
          planted("steps elsewhere", BrokenEngines.StepsElsewhere::new, "S1", "S2"),
          planted("no heartbeat", BrokenEngines.NoHeartbeat::new, "P12"),
          planted("rerun without bound", BrokenEngines.RerunWithoutBound::new, "P3"),
          planted("never gives up a claim", BrokenEngines.NeverGivesUp::new, "P12"),
          planted("forgets what is pending", BrokenEngines.ForgetsPending::new, "P16"),
          planted("loses continuations", BrokenQueues.LosesContinuations::new, "P12"),
          planted("forgets late grants", BrokenQueues.ForgetsLateGrants::new, "P12"),
          planted("silence is success", BrokenQueues.SilenceIsSuccess::new, "P10", "P15"),
          planted(
              "ends twice",
              BrokenQueues.EndsTwice::new,
              "P1",
              "P3",
              "P4",
              "P7",
              "P10",
              "P13",
              "P15"),
          planted("mixes answers up", BrokenQueues.MixesAnswersUp::new, "P1", "P7", "P11", "P12"),
          planted("blocks the loop", BrokenQueues.BlocksTheLoop::new, "P18"));

  private static Planted planted(String name, Supplier<Defect> defect, String... properties) {
    return new Planted(name, defect, Set.of(properties));
  }

  @Test
  void everyPlantedDefectIsFound() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    for (Planted planted : PLANTED) {
      Optional<Violation> found = hunt(planted, Watch.ALL, end);
      assertThat(found).as(planted.name() + " was found").isPresent();
      assertThat(planted.properties()).contains(found.get().property());
    }
  }

  /** Nothing is looked up inside the store: only what callers are told and the upstream sees. */
  @Test
  void everyPlantedDefectIsFoundFromOutsideToo() throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    for (Planted planted : PLANTED) {
      assertThat(hunt(planted, Watch.OUTSIDE, end)).as(planted.name() + " was found").isPresent();
    }
  }

  private static Optional<Violation> hunt(Planted planted, Watch watch, long end)
      throws InterruptedException {
    long start = System.nanoTime();
    Simulator simulator = new Simulator(planted.defect(), watch);
    Optional<Violation> found =
        simulator
            .run(1, TimeUnit.NANOSECONDS.toMillis(end - start))
            .map(Simulator.Failure::violation);
    System.out.printf(
        "%-32s %-4s after %,7d histories, %,6d ms, watching %s%n",
        planted.name(),
        found.map(Violation::property).orElse("NOT FOUND"),
        simulator.histories(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
        watch);
    return found;
  }
}
