// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

/**
 * An endpoint in which braces match one or more characters except a slash, such as {@code POST
 * /payments/{id}/refunds}. A segment has at most one such part, so matching takes one pass.
 */
final class RouteTemplate {
  private static final int LONGEST = 4096;

  private RouteTemplate() {}

  /**
   * Checks a template.
   *
   * @throws IllegalArgumentException if it is too long or has two parts in one segment
   */
  static void check(String template) {
    if (template.length() > LONGEST) {
      throw new IllegalArgumentException(
          "route must have at most " + LONGEST + " characters, had " + template.length());
    }
    for (String segment : template.split("/", -1)) {
      int open = segment.indexOf('{');
      int close = segment.indexOf('}', open + 1);
      boolean isSecond = open >= 0 && close >= 0 && segment.indexOf('{', close) >= 0;
      if (isSecond) {
        throw new IllegalArgumentException(
            "route must have at most one part in braces between two slashes");
      }
    }
  }

  static boolean matches(String template, String endpoint) {
    String[] wanted = template.split("/", -1);
    String[] found = endpoint.split("/", -1);
    if (wanted.length != found.length) {
      return false;
    }
    for (int i = 0; i < wanted.length; i++) {
      if (!isSegment(wanted[i], found[i])) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSegment(String wanted, String found) {
    int open = wanted.indexOf('{');
    int close = wanted.indexOf('}', open + 1);
    if (open < 0 || close < 0) {
      return wanted.equals(found);
    }
    String before = wanted.substring(0, open);
    String after = wanted.substring(close + 1);
    return found.length() > before.length() + after.length()
        && found.startsWith(before)
        && found.endsWith(after);
  }
}
