// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON as maps in order, lists, strings, numbers (long or double), booleans and
 * null. For small documents: the admin API, problem details, log lines.
 */
public final class Json {
  private Json() {}

  /** Returns {@code value} as JSON; other types are written as the string they print as. */
  public static String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value);
    return out.toString();
  }

  /**
   * Returns what {@code text} says.
   *
   * @throws IllegalArgumentException if it is not JSON, or nested deeper than 64
   */
  public static @Nullable Object read(String text) {
    return new JsonReader(text).whole();
  }

  /**
   * Returns the object that {@code text} is.
   *
   * @throws IllegalArgumentException if it is not a JSON object
   */
  @SuppressWarnings("unchecked") // the reader makes maps with strings as keys only
  public static Map<String, @Nullable Object> object(String text) {
    if (read(text) instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }
    throw new IllegalArgumentException("a JSON object is needed, such as {\"reason\": \"…\"}");
  }

  private static void write(StringBuilder out, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> member : map.entrySet()) {
        string(out.append(separator), String.valueOf(member.getKey()));
        write(out.append(':'), member.getValue());
        separator = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof List<?> list) {
      String separator = "[";
      for (Object element : list) {
        write(out.append(separator), element);
        separator = ",";
      }
      out.append(list.isEmpty() ? "[]" : "]");
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else {
      string(out, value.toString());
    }
  }

  /** Appends {@code text} as a JSON string with only those escapes that it needs (RFC 8785). */
  public static void string(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\b' -> out.append("\\b");
        case '\f' -> out.append("\\f");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < ' ' || isLoneSurrogate(text, i)) {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }

  /** A lone surrogate has no UTF-8 form; escaped, it reaches the reader. */
  private static boolean isLoneSurrogate(String text, int at) {
    char c = text.charAt(at);
    if (Character.isHighSurrogate(c)) {
      return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
    }
    return Character.isLowSurrogate(c)
        && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
  }
}
