// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.time.Duration;

/**
 * How long to measure.
 *
 * @param warmUps rounds whose figures are thrown away
 * @param rounds rounds that count
 * @param calls how many calls all callers of a round make together at most
 * @param longest how long a round lasts at most
 * @param virtual whether callers are virtual threads
 */
record Plan(int warmUps, int rounds, int calls, Duration longest, boolean virtual) {
  static Plan full(boolean virtual) {
    return new Plan(5, 11, 200_000, Duration.ofSeconds(3), virtual);
  }

  static Plan quick(boolean virtual) {
    return new Plan(3, 3, 100_000, Duration.ofSeconds(1), virtual);
  }

  String describe() {
    return "%d rounds of at most %d calls and %d s after %d to warm up, taking turns; %s threads; medians"
        .formatted(rounds, calls, longest.toSeconds(), warmUps, virtual ? "virtual" : "platform");
  }
}
