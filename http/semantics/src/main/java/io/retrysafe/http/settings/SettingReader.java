// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

import io.retrysafe.internal.DurationText;
import io.retrysafe.internal.SizeText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** Reads values of settings from what files and properties hold. */
final class SettingReader {

  private SettingReader() {}

  static Duration duration(Object value) {
    return value instanceof Duration duration ? duration : DurationText.parse(text(value));
  }

  static Long size(Object value) {
    return SizeText.parse(text(value));
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
