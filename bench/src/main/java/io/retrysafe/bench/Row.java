// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.util.Map;

/**
 * What a contender reached in a comparison with some number of callers.
 *
 * @param work what was done
 * @param contender how
 * @param callers by how many at once
 * @param median the medians over all rounds
 * @param slowest the fewest calls a second in a round
 * @param fastest the most calls a second in a round
 * @param ratios calls a second as a multiple of each baseline's, by its name
 */
record Row(
    String work,
    String contender,
    int callers,
    Round median,
    double slowest,
    double fastest,
    Map<String, Double> ratios) {

  String name() {
    return work + '/' + contender;
  }
}
