// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.simulation.World.Watch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Tries to break the engine. The build runs the same histories every time, so that a failure is the
 * change's own. {@code -Dsimulation.seconds=600} searches new ones for so long, and {@code
 * -Dsimulation.seed=…} shows one history again.
 */
final class SimulatorTest {
  private static final String SEED = "simulation.seed";
  private static final int HISTORIES = 250_000;

  private final Simulator simulator = new Simulator(() -> Defect.NONE, Watch.ALL);

  @Test
  void noHistoryBreaksAProperty() throws InterruptedException {
    if (System.getProperty(SEED) != null) {
      Plan plan = Plan.of(Long.getLong(SEED));
      Run.Result result = simulator.replay(plan);
      System.out.println(plan + "\n" + String.join("\n", result.trace()));
      assertThat(result.violation()).isNull();
      return;
    }
    Integer seconds = Integer.getInteger("simulation.seconds");
    long first = seconds == null ? 1 : new SplittableRandom().nextLong();
    System.out.println("simulating from seed " + first);
    long start = System.nanoTime();
    Optional<Simulator.Failure> failure =
        seconds == null
            ? simulator.runAll(first, HISTORIES)
            : simulator.run(first, TimeUnit.SECONDS.toMillis(seconds));
    assertThat(failure).as(() -> failure.map(simulator::explain).orElse("")).isEmpty();
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    System.out.printf(
        "%,d histories in %,d ms, %,d a minute; no property was broken; they reached%n%s",
        simulator.histories(),
        millis,
        simulator.histories() * 60_000 / Math.max(1, millis),
        simulator.coverage());
    assertThat(simulator.coverage().missed()).as("never reached").isEmpty();
  }

  @Test
  void noKeptSeedBreaksAPropertyAgain() throws IOException {
    for (long seed : keptSeeds()) {
      Plan plan = Plan.of(seed);
      // They were found with threads.
      for (Plan each : List.of(plan, plan.calling(Plan.Calling.THREAD))) {
        Run.Result result = simulator.replay(each);
        assertThat(result.violation())
            .as(() -> "seed " + seed + "\n" + String.join("\n", result.trace()))
            .isNull();
      }
    }
  }

  @Test
  void theSameSeedIsTheSameHistory() {
    for (long seed = 1; seed <= 200; seed++) {
      Plan plan = Plan.of(seed);
      assertThat(simulator.replay(plan).trace())
          .as("seed " + seed)
          .isEqualTo(simulator.replay(plan).trace());
    }
  }

  private static List<Long> keptSeeds() throws IOException {
    try (InputStream file = SimulatorTest.class.getResourceAsStream("/simulation/seeds.txt")) {
      assertThat(file).isNotNull();
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> Long.valueOf(line.substring(0, line.indexOf(' '))))
          .toList();
    }
  }
}
