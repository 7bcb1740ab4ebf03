// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 64MB}. A megabyte has 1,048,576 bytes. */
final class Size {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})([KMG])I?B");

  private Size() {}

  static long bytes(String text) {
    Matcher matcher = FORM.matcher(text.toUpperCase(Locale.ROOT));
    if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
      throw new IllegalArgumentException(
          "near copies in memory need a size such as memory:64MB, was memory:" + text);
    }
    int shift =
        switch (matcher.group(2)) {
          case "K" -> 10;
          case "M" -> 20;
          default -> 30;
        };
    return Long.parseLong(matcher.group(1)) << shift;
  }
}
