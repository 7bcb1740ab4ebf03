// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** A question about speed, and the comparisons that answer it. */
interface Benchmark {

  /** What it is called on the command line. */
  String name();

  /** What is measured against what, in a line or two. */
  String description();

  /** The unit of times in the table. */
  Unit unit();

  /** With how many callers each comparison is made. */
  List<Integer> callers();

  List<Comparison> comparisons();

  /**
   * How many cores other processes may keep busy in a round before it is run again. Infinity where
   * servers belong to what is measured.
   */
  default double quiet() {
    return 0.35;
  }

  /** How it is measured, in a line. */
  default String describe(Plan plan) {
    return plan.describe();
  }

  /** Measures in a way of its own, without {@link Driver}; nothing if the driver does it. */
  default List<Row> measure(Plan plan, Consumer<String> progress) throws Exception {
    return List.of();
  }

  /** The goals that were set beforehand. */
  default List<Goal> goals() {
    return List.of();
  }

  /**
   * Something to be reached.
   *
   * @param text what, for people
   * @param judge what the rows say about it
   */
  record Goal(String text, Function<List<Row>, List<Verdict>> judge) {}

  /**
   * What some row says about a goal.
   *
   * @param measured what was measured, for people
   * @param isMet whether that reaches the goal
   */
  record Verdict(String measured, boolean isMet) {}
}
