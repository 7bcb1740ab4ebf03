// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.util.List;

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

  /** What the rows say about goals that were set beforehand. */
  default List<Verdict> verdicts(List<Row> rows) {
    return List.of();
  }

  /**
   * Whether a goal was reached.
   *
   * @param goal what was to be reached
   * @param measured what was measured, for people
   */
  record Verdict(String goal, String measured, boolean isMet) {}
}
