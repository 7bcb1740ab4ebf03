// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

/** The characters of header fields, as RFC 9110 allows them. */
public final class FieldSyntax {
  private FieldSyntax() {}

  /** Returns whether a text is a token, as field names must be. */
  public static boolean isName(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isTokenChar(text.charAt(i))) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** Returns whether a text has no control characters but tabs, so that it can be a field value. */
  public static boolean isValue(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\t' && (c < ' ' || c == 0x7f)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isTokenChar(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
  }
}
