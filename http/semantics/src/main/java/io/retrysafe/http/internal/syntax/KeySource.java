// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import io.retrysafe.http.internal.json.JsonPointer;
import java.util.Locale;

/** A part of a request that a key or a fingerprint is made from. */
public sealed interface KeySource {

  /** The value at a place in a JSON body. */
  record Pointer(JsonPointer pointer) implements KeySource {
    @Override
    public String toString() {
      return pointer.text();
    }
  }

  /** All lines of a header field. */
  record Field(String name) implements KeySource {
    @Override
    public String toString() {
      return "header " + name;
    }
  }

  /** Reads {@code /order/id} or {@code header X-Cart}. */
  static KeySource parse(String text) {
    String[] words = text.strip().split("\\s+", -1);
    if (words.length == 2 && words[0].toLowerCase(Locale.ROOT).equals("header")) {
      return new Field(words[1]);
    }
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException(
          "a source is a JSON pointer such as /order/id or a header such as header X-Cart, was \""
              + text
              + '"');
    }
    return new Pointer(JsonPointer.parse(text));
  }
}
