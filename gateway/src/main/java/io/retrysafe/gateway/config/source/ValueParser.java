// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.http.settings.Settings;
import java.time.Duration;
import java.util.Locale;

/** Parses single values in the same text forms as the HTTP settings. */
final class ValueParser {
  /** The longest duration. Stores can add it to any time without overflow. */
  static final Duration LONGEST = Duration.ofDays(3650);

  private ValueParser() {}

  /** Parses an enum constant from its name in lower case with hyphens. */
  static <E extends Enum<E>> E of(Class<E> type, ConfigValue value) {
    for (E constant : type.getEnumConstants()) {
      if (constant.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(value.text())) {
        return constant;
      }
    }
    throw new IllegalArgumentException("no other word is allowed");
  }

  static Duration duration(ConfigValue value) {
    Duration duration = Settings.duration(value.text());
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("longer than 3650d");
    }
    return duration;
  }

  static int size(ConfigValue value, int largest) {
    long size = Settings.size(value.text());
    if (size > largest) {
      throw new IllegalArgumentException("too large");
    }
    return (int) size;
  }

  static boolean isTrue(ConfigValue value) {
    return switch (value.text()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("no other word is allowed");
    };
  }

  static int number(ConfigValue value) {
    if (!value.text().matches("[0-9]{1,6}")) {
      throw new IllegalArgumentException("not a number up to 999999");
    }
    return Integer.parseInt(value.text());
  }
}
