// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.http.internal.syntax.FieldSyntax;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Questions to a list of header lines; without streams, because every request asks them. */
final class Headers {
  private Headers() {}

  static List<String> all(List<Header> headers, String name) {
    List<String> values = new ArrayList<>(0);
    for (Header header : headers) {
      if (header.is(name)) {
        values.add(header.value());
      }
    }
    return values;
  }

  static Optional<String> first(List<Header> headers, String name) {
    for (Header header : headers) {
      if (header.is(name)) {
        return Optional.of(header.value());
      }
    }
    return Optional.empty();
  }

  /** Returns type and subtype in lower case, without parameters; empty where there is none. */
  static String mediaType(List<Header> headers) {
    String value = first(headers, "Content-Type").orElse("");
    int semicolon = value.indexOf(';');
    String type = semicolon < 0 ? value : value.substring(0, semicolon);
    return type.strip().toLowerCase(Locale.ROOT);
  }

  /** Returns the members of a comma-separated list in all lines of a field, in lower case. */
  static List<String> tokens(List<Header> headers, String name) {
    List<String> tokens = new ArrayList<>(0);
    for (String value : all(headers, name)) {
      for (String token : value.split(",", -1)) {
        String stripped = token.strip();
        if (!stripped.isEmpty()) {
          tokens.add(stripped.toLowerCase(Locale.ROOT));
        }
      }
    }
    return tokens;
  }

  /** Returns whether a line can be written: a token as name, no control characters in the value. */
  static boolean isWritable(Header header) {
    return FieldSyntax.isName(header.name()) && FieldSyntax.isValue(header.value());
  }
}
