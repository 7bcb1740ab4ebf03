// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;

/** Times in microseconds, the unit of the scripts. */
final class Micros {
  /** A century: sums of such times stay in the range that a double holds exactly. */
  private static final long LONGEST = TimeUnit.DAYS.toMicros(36_500);

  private static final long FARTHEST = Long.MAX_VALUE / 2_000_000L;

  private Micros() {}

  static byte[] of(Duration duration) {
    return digits(count(duration));
  }

  static long count(Duration duration) {
    return Math.min(LONGEST, TimeUnit.MICROSECONDS.convert(duration));
  }

  static byte[] of(Instant instant) {
    // Callers pass moments beyond these for "for ever".
    long seconds = Math.max(-FARTHEST, Math.min(FARTHEST, instant.getEpochSecond()));
    return digits(seconds * 1_000_000L + instant.getNano() / 1000);
  }

  static Instant instant(byte[] digits) {
    return instant(number(digits));
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  static byte[] digits(long number) {
    return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
  }

  static long number(byte[] digits) {
    return Long.parseLong(new String(digits, StandardCharsets.US_ASCII));
  }
}
