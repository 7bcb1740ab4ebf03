// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

/** The characters that HTTP/1.1 allows in the names and values of header fields. */
public final class HeaderSyntax {
  private static final boolean[] TOKEN = token();

  private HeaderSyntax() {}

  private static boolean[] token() {
    boolean[] token = new boolean[256];
    for (char c = '!'; c < 0x7f; c++) {
      token[c] = "\"(),/:;<=>?@[\\]{}".indexOf(c) < 0;
    }
    return token;
  }

  /** Returns whether a text can be the name of a header, or a method. */
  public static boolean isName(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isName(text.charAt(i))) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** Returns whether a name may contain a character. */
  public static boolean isName(char c) {
    return c <= 0xff && TOKEN[c];
  }

  /** Returns whether a text can be the value of a header. */
  public static boolean isValue(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (!isValue(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a value may contain a character. */
  public static boolean isValue(char c) {
    return c == '\t' || (c >= ' ' && c != 0x7f && c <= 0xff);
  }
}
