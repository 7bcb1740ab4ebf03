// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations in settings, options and messages: {@code 500ms}, {@code 30s}, {@code 5m}, {@code 24h}.
 */
public final class DurationText {
  private static final Pattern SHORT = Pattern.compile("([0-9]{1,9})\\s*(ms|s|m|h|d)");

  private DurationText() {}

  /**
   * Reads a number with one of the units ms, s, m, h, d, or an ISO duration such as {@code PT30S}.
   * Zero needs no unit.
   *
   * @throws IllegalArgumentException if the text is neither, or negative
   */
  public static Duration parse(String text) {
    String stripped = text.strip();
    Matcher matcher = SHORT.matcher(stripped);
    Duration duration;
    try {
      duration =
          matcher.matches()
              ? of(Long.parseLong(matcher.group(1)), matcher.group(2))
              : stripped.equals("0") ? Duration.ZERO : Duration.parse(stripped);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("not a duration such as 30s or 24h", e);
    }
    if (duration.isNegative()) {
      throw new IllegalArgumentException("not a duration: negative");
    }
    return duration;
  }

  private static Duration of(long number, String unit) {
    return switch (unit) {
      case "ms" -> Duration.ofMillis(number);
      case "s" -> Duration.ofSeconds(number);
      case "m" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  /**
   * Returns the text that {@link #parse} reads as exactly this duration, in the largest unit that
   * fits: {@code 90s}, {@code 5m}, {@code 24h}, {@code 7d}.
   */
  public static String text(Duration duration) {
    if (duration.isZero()) {
      return "0s";
    }
    if (duration.isNegative() || duration.toNanosPart() % 1_000_000 != 0) {
      return duration.toString();
    }
    long millis = duration.toMillis();
    if (millis % 1000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1000;
    if (seconds % 60 != 0) {
      return seconds + "s";
    }
    long minutes = seconds / 60;
    if (minutes % 60 != 0) {
      return minutes + "m";
    }
    long hours = minutes / 60;
    return hours % 24 != 0 || hours == 24 ? hours + "h" : hours / 24 + "d";
  }

  /** Returns a few characters for people: {@code 84ms}, {@code 1.2s}, {@code 5m}, {@code 3h}. */
  public static String rounded(Duration duration) {
    long millis = Math.max(0, duration.toMillis());
    if (millis < 1000) {
      return millis + "ms";
    }
    if (millis < 10_000) {
      return String.format(Locale.ROOT, "%.1fs", millis / 1000.0);
    }
    if (millis < 120_000) {
      return millis / 1000 + "s";
    }
    long minutes = millis / 60_000;
    if (minutes < 120) {
      return minutes + "m";
    }
    return minutes < 48 * 60 ? minutes / 60 + "h" : minutes / (24 * 60) + "d";
  }
}
