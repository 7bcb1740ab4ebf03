// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads values of settings from what files and properties hold. */
final class Reading {
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})\\s*(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("(\\d{1,10})\\s*(|B|KiB|KB|MiB|MB|GiB|GB)");

  private Reading() {}

  /** Reads {@code 30s}, {@code 24h}, {@code 500ms}, {@code 7d} or {@code PT30S}; 0 has no unit. */
  static Duration duration(Object value) {
    if (value instanceof Duration duration) {
      return duration;
    }
    String text = text(value);
    Matcher time = TIME.matcher(text);
    if (time.matches()) {
      long count = Long.parseLong(time.group(1));
      return switch (time.group(2)) {
        case "ms" -> Duration.ofMillis(count);
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        case "h" -> Duration.ofHours(count);
        default -> Duration.ofDays(count);
      };
    }
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("not a duration such as 30s or 24h", e);
    }
  }

  /** Reads {@code 4096}, {@code 64KiB} or {@code 1MiB}; KB and MB are taken as KiB and MiB. */
  static Long size(Object value) {
    Matcher size = SIZE.matcher(text(value));
    if (!size.matches()) {
      throw new IllegalArgumentException("not a size such as 64KiB");
    }
    String unit = size.group(2);
    int shift =
        unit.startsWith("K") ? 10 : unit.startsWith("M") ? 20 : unit.startsWith("G") ? 30 : 0;
    return Long.parseLong(size.group(1)) << shift;
  }

  static Integer count(Object value) {
    String text = text(value);
    if (!text.matches("[0-9]{1,9}")) {
      throw new IllegalArgumentException("not a number");
    }
    return Integer.valueOf(text);
  }

  static Function<Object, Integer> oneOf(int... allowed) {
    return value -> {
      int count = count(value);
      if (Arrays.stream(allowed).noneMatch(each -> each == count)) {
        throw new IllegalArgumentException("no other value is allowed");
      }
      return count;
    };
  }

  /** Reads a constant by its name in lower case with hyphens. */
  static <E extends Enum<E>> Function<Object, E> word(Class<E> type) {
    return value -> {
      for (E constant : type.getEnumConstants()) {
        if (constant == value || word(constant).equals(String.valueOf(value))) {
          return constant;
        }
      }
      throw new IllegalArgumentException("no other word is allowed");
    };
  }

  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static String text(Object value) {
    if (value instanceof String || value instanceof Number) {
      return value.toString().strip();
    }
    throw new IllegalArgumentException("a single value was expected");
  }

  /** Reads a list, or a string with commas. */
  static List<String> list(Object value) {
    if (value instanceof Iterable<?> many) {
      List<String> list = new ArrayList<>();
      many.forEach(each -> list.add(text(each)));
      return List.copyOf(list);
    }
    String text = text(value);
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(String::strip).toList();
  }
}
