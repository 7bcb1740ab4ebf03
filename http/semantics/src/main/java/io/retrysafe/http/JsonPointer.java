// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A place in a JSON document, as in RFC 6901: {@code /order/items/0}. */
record JsonPointer(String text, List<String> steps) {

  static JsonPointer parse(String text) {
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

  /** Returns what is there; null, not a JSON null, where there is nothing. */
  @Nullable Json find(Json in) {
    Json here = in;
    for (String step : steps) {
      Json next = null;
      if (here instanceof Json.Members members) {
        next = members.byName().get(step);
      } else if (here instanceof Json.Elements elements && step.matches("0|[1-9][0-9]{0,8}")) {
        int index = Integer.parseInt(step);
        next = index < elements.list().size() ? elements.list().get(index) : null;
      }
      if (next == null) {
        return null;
      }
      here = next;
    }
    return here;
  }
}
