// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

import java.util.List;

/** A place in a JSON document, as in RFC 6901: {@code /order/items/0}. */
public record JsonPointer(String text, List<String> steps) {
  /** The whole document. */
  public static final JsonPointer ROOT = parse("");

  public static JsonPointer parse(String text) {
    if (!text.startsWith("/") && !text.isEmpty()) {
      throw new IllegalArgumentException("a JSON pointer begins with a slash, was \"" + text + '"');
    }
    List<String> steps =
        text.isEmpty()
            ? List.of()
            : List.of(text.substring(1).split("/", -1)).stream().map(s -> step(text, s)).toList();
    return new JsonPointer(text, steps);
  }

  private static String step(String pointer, String step) {
    if (step.matches(".*~(?![01]).*")) {
      throw new IllegalArgumentException(
          "in a JSON pointer ~ is followed by 0 or 1, was \"" + pointer + '"');
    }
    return step.replace("~1", "/").replace("~0", "~");
  }
}
