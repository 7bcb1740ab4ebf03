// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class SimulatorTest {
  private static final java.util.logging.Logger LOG =
      java.util.logging.Logger.getLogger("io.retrysafe");

  @Test
  void x() {
    LOG.setLevel(java.util.logging.Level.OFF);
    Scheduler scheduler = new Scheduler();
    Coverage coverage = new Coverage();
    Map<String, Integer> seen = new HashMap<>();
    Map<String, Long> first = new HashMap<>();
    long start = System.nanoTime();
    long base = Long.getLong("simulation.seed", 1);
    int n = Integer.getInteger("n", 3000);
    for (long seed = base; seed < base + n; seed++) {
      Run.Result result = Run.of(Plan.of(seed), scheduler, coverage, Defect.NONE, n == 1);
      Violation violation = result.violation();
      if (n == 1) {
        System.out.println(Plan.of(seed));
        result.trace().forEach(System.out::println);
      }
      if (violation != null) {
        String key = violation.property() + violation.detail().replaceAll("[\\[(].*", "").replaceAll("[0-9]+", "#");
        seen.merge(key, 1, Integer::sum);
        first.putIfAbsent(key, seed);
      }
    }
    System.out.println(n + " in " + (System.nanoTime() - start) / 1_000_000 + " ms");
    System.out.println(coverage);
    seen.forEach((k, v) -> System.out.println(v + " x " + k + "  first " + first.get(k)));
  }
}
