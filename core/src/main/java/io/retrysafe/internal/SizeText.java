// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Numbers of bytes in settings, options and messages: {@code 4096B}, {@code 64KiB}, {@code 1MiB}.
 */
public final class SizeText {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,10})\\s*(|B|KiB|KB|MiB|MB|GiB|GB)");

  private SizeText() {}

  /**
   * Reads a number of bytes with or without a unit; KB, MB and GB are taken as KiB, MiB and GiB.
   *
   * @throws IllegalArgumentException if the text is none
   */
  public static long parse(String text) {
    Matcher size = SIZE.matcher(text.strip());
    if (!size.matches()) {
      throw new IllegalArgumentException("not a size such as 64KiB");
    }
    String unit = size.group(2);
    int shift =
        unit.startsWith("K") ? 10 : unit.startsWith("M") ? 20 : unit.startsWith("G") ? 30 : 0;
    return Long.parseLong(size.group(1)) << shift;
  }

  /** Returns the text that {@link #parse} reads as this size, in the largest unit that fits. */
  public static String text(long bytes) {
    if (bytes > 0 && bytes % (1L << 30) == 0) {
      return (bytes >> 30) + "GiB";
    }
    if (bytes > 0 && bytes % (1L << 20) == 0) {
      return (bytes >> 20) + "MiB";
    }
    return bytes > 0 && bytes % 1024 == 0 ? (bytes >> 10) + "KiB" : bytes + "B";
  }
}
