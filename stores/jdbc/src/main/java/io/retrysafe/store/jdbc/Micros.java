// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Times and durations as the tables hold them: microseconds. */
final class Micros {
  /** Longer than anybody keeps anything, and far from where databases' times end. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private Micros() {}

  static long of(Duration duration) {
    Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
    // A duration that no number holds must not fail a whole batch.
    Duration both = bounded.compareTo(LONGEST.negated()) < 0 ? LONGEST.negated() : bounded;
    return both.toNanos() / 1_000;
  }

  static long of(Instant instant) {
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
