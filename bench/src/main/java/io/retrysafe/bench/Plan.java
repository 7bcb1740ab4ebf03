// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.time.Duration;

/**
 * How long to measure.
 *
 * @param warmUps rounds whose figures are thrown away
 * @param rounds rounds that count
 * @param longest how long a round lasts at most
 * @param isVirtual whether callers are virtual threads
 */
record Plan(int warmUps, int rounds, Duration longest, boolean isVirtual) {
  static Plan full(boolean isVirtual) {
    return new Plan(5, 11, Duration.ofSeconds(1), isVirtual);
  }

  static Plan quick(boolean isVirtual) {
    return new Plan(3, 3, Duration.ofMillis(300), isVirtual);
  }

  /** Returns this plan with another number of rounds; a JVM takes as long to warm up as ever. */
  Plan rounds(int count) {
    return new Plan(warmUps, count, longest, isVirtual);
  }

  String describe() {
    return "%d rounds of at most %d ms after %d to warm up, taking turns; %s threads; medians of rounds"
        .formatted(rounds, longest.toMillis(), warmUps, isVirtual ? "virtual" : "platform");
  }
}
