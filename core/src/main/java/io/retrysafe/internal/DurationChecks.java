// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import java.time.Duration;

/** Checks durations of settings. */
public final class DurationChecks {
  /** The longest duration that a setting may have. */
  public static final Duration LONGEST = Duration.ofDays(3660);

  private DurationChecks() {}

  /**
   * Returns {@code duration} if it is positive and not too long.
   *
   * @param name the setting, for the message
   * @throws IllegalArgumentException if it is not
   */
  public static Duration positive(String name, Duration duration) {
    if (duration.isNegative() || duration.isZero()) {
      throw new IllegalArgumentException(
          name + " must be positive, was " + DurationText.text(duration));
    }
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name
              + " must be at most "
              + DurationText.text(LONGEST)
              + ", was "
              + DurationText.text(duration));
    }
    return duration;
  }
}
