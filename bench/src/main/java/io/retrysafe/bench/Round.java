// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What one round showed.
 *
 * @param perSecond calls a second, of all callers together
 * @param mean mean duration of a call, in nanoseconds
 * @param p50 median duration of a call, in nanoseconds
 * @param p99 99th percentile, in nanoseconds
 * @param cpu what the caller's thread was on a processor for a call, in nanoseconds; negative where
 *     that cannot be told
 * @param bytes what the caller's thread allocated for a call; negative where that cannot be told
 * @param neighbours how many cores other processes kept busy meanwhile; negative where that cannot
 *     be told
 */
record Round(
    double perSecond,
    double mean,
    double p50,
    double p99,
    double cpu,
    double bytes,
    double neighbours) {

  static double median(List<Round> rounds, ToDoubleFunction<Round> figure) {
    double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns the round whose every figure is the median of that figure. */
  static Round median(List<Round> rounds) {
    return new Round(
        median(rounds, Round::perSecond),
        median(rounds, Round::mean),
        median(rounds, Round::p50),
        median(rounds, Round::p99),
        median(rounds, Round::cpu),
        median(rounds, Round::bytes),
        median(rounds, Round::neighbours));
  }
}
