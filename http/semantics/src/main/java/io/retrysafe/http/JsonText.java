// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.Map;

/** Writes JSON in its canonical spelling: no white space, only those escapes that must be. */
final class JsonText {
  private JsonText() {}

  /** Returns an object of strings, numbers and booleans. */
  static String object(Map<String, Object> members) {
    StringBuilder out = new StringBuilder("{");
    members.forEach(
        (name, value) -> {
          if (out.length() > 1) {
            out.append(',');
          }
          string(out, name);
          out.append(':');
          if (value instanceof String text) {
            string(out, text);
          } else {
            out.append(value);
          }
        });
    return out.append('}').toString();
  }

  static void string(StringBuilder out, String text) {
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
          if (c < ' ') {
            out.append("\\u%04x".formatted((int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
