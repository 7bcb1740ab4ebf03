// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write and read them. */
final class Durations {
  private static final Pattern SHORT = Pattern.compile("([0-9]{1,9})(ms|s|m|h|d)");

  private Durations() {}

  /**
   * Returns what {@code text} says: {@code 90s}, {@code 10m}, {@code 2h}, {@code 1d}, {@code PT5M}.
   */
  static Duration of(String name, String text) {
    Matcher matcher = SHORT.matcher(text);
    if (matcher.matches()) {
      long number = Long.parseLong(matcher.group(1));
      return switch (matcher.group(2)) {
        case "ms" -> Duration.ofMillis(number);
        case "s" -> Duration.ofSeconds(number);
        case "m" -> Duration.ofMinutes(number);
        case "h" -> Duration.ofHours(number);
        default -> Duration.ofDays(number);
      };
    }
    try {
      Duration parsed = Duration.parse(text);
      if (!parsed.isNegative() && parsed.compareTo(Duration.ofDays(36_500)) < 0) {
        return parsed;
      }
    } catch (DateTimeParseException e) {
      // Said below.
    }
    throw new IllegalArgumentException(name + " must be a duration such as 10m or 2h, was " + text);
  }

  /**
   * Returns a few characters: {@code 84 ms}, {@code 1.2 s}, {@code 5 min}, {@code 3 h}, {@code 2
   * d}.
   */
  static String text(Duration duration) {
    long millis = Math.max(0, duration.toMillis());
    if (millis < 1000) {
      return millis + " ms";
    }
    if (millis < 10_000) {
      return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
    }
    if (millis < 120_000) {
      return millis / 1000 + " s";
    }
    long minutes = millis / 60_000;
    if (minutes < 120) {
      return minutes + " min";
    }
    return minutes < 48 * 60 ? minutes / 60 + " h" : minutes / (24 * 60) + " d";
  }
}
