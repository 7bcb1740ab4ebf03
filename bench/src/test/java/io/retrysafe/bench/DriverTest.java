// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DriverTest {
  private static final Plan PLAN = new Plan(1, 3, Duration.ofSeconds(10), false);

  private static final int CALLS = 40;

  private final List<String> opened = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger calls = new AtomicInteger();
  private double quiet = Double.POSITIVE_INFINITY;

  @Test
  void everyContenderIsMeasuredWithEveryNumberOfCallers() throws Exception {
    List<Row> rows = measure(PLAN);
    assertThat(rows)
        .extracting(row -> row.name() + ' ' + row.callers())
        .containsExactly("work/base 1", "work/other 1", "work/base 2", "work/other 2");
    assertThat(calls).hasValue(4 * 4 * CALLS);
    assertThat(rows).allSatisfy(row -> assertThat(row.median().bytes()).isPositive());
  }

  @Test
  void contendersTakeTurnsAndTheOrderTurns() throws Exception {
    measure(PLAN);
    assertThat(opened)
        .startsWith(
            "base 1", "other 1", "base 2", "other 2", "other 1", "base 2", "other 2", "base 1")
        .hasSize(4 * 4);
  }

  @Test
  void ratiosAreToTheBaselineOfTheSameNumberOfCallers() throws Exception {
    for (Row row : measure(PLAN)) {
      assertThat(row.ratios()).containsOnlyKeys("base");
      if (row.contender().equals("base")) {
        assertThat(row.ratios()).containsEntry("base", 1.0);
      }
    }
  }

  @Test
  void aRoundEndsWhenItsTimeIsUp() throws Exception {
    measure(new Plan(0, 1, Duration.ofNanos(1), false));
    assertThat(calls).hasValue(1 + 1 + 2 + 2);
  }

  @Test
  void aDisturbedRoundIsRunAgainAtMostTwice() throws Exception {
    quiet = -2;
    Driver driver = new Driver(PLAN, line -> {});
    driver.measure(benchmark(contenders()));
    assertThat(driver.disturbed()).isEqualTo(4 * 3);
    assertThat(opened).hasSize(4 * (1 + 3 * 3));
  }

  @Test
  void callersCanBeVirtual() throws Exception {
    assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);
    List<Row> rows = measure(new Plan(0, 1, Duration.ofSeconds(10), true));
    assertThat(calls).hasValue(4 * CALLS);
    assertThat(rows).allSatisfy(row -> assertThat(row.median().bytes()).isNegative());
  }

  @Test
  void aFailedCallFailsTheRun() {
    Benchmark benchmark =
        benchmark(
            List.of(
                Contender.of(
                    "failing",
                    (callers, calls) ->
                        caller ->
                            call -> {
                              throw new IllegalStateException("no");
                            })));
    assertThatThrownBy(() -> new Driver(PLAN, line -> {}).measure(benchmark))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("no");
  }

  private List<Row> measure(Plan plan) throws Exception {
    return new Driver(plan, line -> {}).measure(benchmark(contenders()));
  }

  private List<Contender> contenders() {
    return List.of(
        Contender.baseline("base", (callers, limit) -> session("base", callers)),
        Contender.of("other", (callers, limit) -> session("other", callers)));
  }

  private Session session(String name, int callers) {
    opened.add(name + ' ' + callers);
    return caller -> call -> new int[] {calls.incrementAndGet()};
  }

  private Benchmark benchmark(List<Contender> contenders) {
    return new Benchmark() {
      @Override
      public String name() {
        return "test";
      }

      @Override
      public String description() {
        return "a benchmark of nothing";
      }

      @Override
      public Unit unit() {
        return Unit.MICROSECONDS;
      }

      @Override
      public List<Integer> callers() {
        return List.of(1, 2);
      }

      @Override
      public double quiet() {
        return quiet;
      }

      @Override
      public List<Comparison> comparisons() {
        return List.of(new Comparison("work", CALLS, contenders));
      }
    };
  }
}
