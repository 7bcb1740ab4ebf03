// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.bench.Comparison.Contender;
import io.retrysafe.bench.Comparison.Session;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Measures comparisons under load.
 *
 * <p><b>Load.</b> A closed loop without think time: every caller makes its next call as soon as the
 * last one returned. Every call is timed, also the last one of a round, which would otherwise hide
 * callers that starve.
 *
 * <p><b>Fairness.</b> All contenders of all comparisons take turns: one round each, then the next
 * round of each, the order turning by one every time. What disturbs the machine for a while
 * disturbs all of them. Every round starts with a fresh session and a collected heap; the first
 * rounds of each are thrown away.
 *
 * <p><b>Neighbours.</b> A round in which other processes kept more of the machine busy than the
 * benchmark allows is run again, at most twice; then it counts as it is.
 *
 * <p><b>Figures</b> are medians over the rounds, of each figure by itself.
 */
final class Driver {
  private static final int MOST_TRIES = 3;

  private final Plan plan;
  private final Consumer<String> progress;
  private final Machine machine = new Machine();
  private int disturbed;

  Driver(Plan plan, Consumer<String> progress) {
    this.plan = plan;
    this.progress = progress;
  }

  /** Returns a row for each contender and number of callers. */
  List<Row> measure(Benchmark benchmark) throws Exception {
    return measure(benchmark, List.of());
  }

  /**
   * Returns a row for each contender and number of callers that is among {@code wanted}, if any.
   */
  List<Row> measure(Benchmark benchmark, List<Integer> wanted) throws Exception {
    List<Lane> lanes = lanes(benchmark);
    lanes.removeIf(lane -> !wanted.isEmpty() && !wanted.contains(lane.callers));
    if (lanes.isEmpty()) {
      throw new IllegalArgumentException(
          benchmark.name() + " is measured with callers " + benchmark.callers());
    }
    int all = plan.warmUps() + plan.rounds();
    for (int i = 0; i < all; i++) {
      for (int j = 0; j < lanes.size(); j++) {
        Lane lane = lanes.get((i + j) % lanes.size());
        progress.accept(
            "round %d of %d%s: %s"
                .formatted(i + 1, all, i < plan.warmUps() ? " (warm-up)" : "", lane.name()));
        if (i < plan.warmUps()) {
          round(lane);
        } else {
          lane.rounds.add(quietRound(lane, benchmark.quiet()));
        }
      }
    }
    return rows(lanes);
  }

  /** Returns how many of the rounds that count were disturbed by other processes. */
  int disturbed() {
    return disturbed;
  }

  private Round quietRound(Lane lane, double quiet) throws Exception {
    for (int tries = 1; ; tries++) {
      Round round = round(lane);
      if (round.neighbours() <= quiet) {
        return round;
      }
      if (tries == MOST_TRIES) {
        disturbed++;
        return round;
      }
    }
  }

  private Round round(Lane lane) throws Exception {
    int calls = lane.calls / lane.callers;
    try (Session session = lane.contender.opening().open(lane.callers, calls)) {
      System.gc();
      return Load.run(session, lane.callers, calls, plan, machine);
    }
  }

  private static List<Lane> lanes(Benchmark benchmark) {
    List<Lane> lanes = new ArrayList<>();
    for (Comparison comparison : benchmark.comparisons()) {
      for (int callers : benchmark.callers()) {
        for (Contender contender : comparison.contenders()) {
          lanes.add(new Lane(comparison, contender, callers));
        }
      }
    }
    return lanes;
  }

  private static List<Row> rows(List<Lane> lanes) {
    Map<String, Map<String, Double>> baselines = new HashMap<>();
    for (Lane lane : lanes) {
      if (lane.contender.isBaseline()) {
        baselines
            .computeIfAbsent(lane.group(), group -> new LinkedHashMap<>())
            .put(lane.contender.name(), Round.median(lane.rounds, Round::perSecond));
      }
    }
    return lanes.stream()
        .map(lane -> lane.row(baselines.getOrDefault(lane.group(), Map.of())))
        .toList();
  }

  /** A contender with its number of callers, and the rounds it has run. */
  private static final class Lane {
    final String work;
    final int calls;
    final Contender contender;
    final int callers;
    final List<Round> rounds = new ArrayList<>();

    Lane(Comparison comparison, Contender contender, int callers) {
      this.work = comparison.name();
      this.calls = comparison.calls();
      this.contender = contender;
      this.callers = callers;
    }

    String name() {
      return work + '/' + contender.name() + ", callers " + callers;
    }

    String group() {
      return work + '/' + callers;
    }

    Row row(Map<String, Double> baselines) {
      Round median = Round.median(rounds);
      Map<String, Double> ratios = new LinkedHashMap<>();
      baselines.forEach((name, perSecond) -> ratios.put(name, median.perSecond() / perSecond));
      return new Row(
          work,
          contender.name(),
          callers,
          median,
          rounds.stream().mapToDouble(Round::perSecond).min().orElse(0),
          rounds.stream().mapToDouble(Round::perSecond).max().orElse(0),
          ratios);
    }
  }
}
