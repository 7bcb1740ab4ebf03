// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A JSON value that keeps what its author wrote of numbers: 9007199254740993, 1.0 and 1e2 stay
 * themselves, so that two amounts are equal only if they were written alike.
 */
public sealed interface Json {

  /** An object; no name occurs twice. */
  record Members(Map<String, Json> byName) implements Json {}

  record Elements(List<Json> list) implements Json {}

  record Text(String text) implements Json {}

  /** A number as it was written, or {@code true}, {@code false} or {@code null}. */
  record Lexeme(String lexeme) implements Json {}

  /**
   * Returns the canonical form: that of RFC 8785 except for numbers. Members are sorted by UTF-16
   * code units.
   */
  default String canonical() {
    StringBuilder out = new StringBuilder();
    write(this, out);
    return out.toString();
  }

  private static void write(Json json, StringBuilder out) {
    if (json instanceof Members members) {
      String separator = "{";
      for (Map.Entry<String, Json> member : new TreeMap<>(members.byName).entrySet()) {
        out.append(separator);
        io.retrysafe.internal.Json.string(out, member.getKey());
        write(member.getValue(), out.append(':'));
        separator = ",";
      }
      out.append(members.byName.isEmpty() ? "{}" : "}");
    } else if (json instanceof Elements elements) {
      String separator = "[";
      for (Json element : elements.list) {
        write(element, out.append(separator));
        separator = ",";
      }
      out.append(elements.list.isEmpty() ? "[]" : "]");
    } else if (json instanceof Text text) {
      io.retrysafe.internal.Json.string(out, text.text);
    } else if (json instanceof Lexeme lexeme) {
      out.append(lexeme.lexeme);
    }
  }
}
