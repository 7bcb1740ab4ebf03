// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Suggestions for misspelt names. */
final class DidYouMean {
  private DidYouMean() {}

  /** Returns a message about an unknown name, with the closest known one. */
  static String unknown(String where, String name, List<String> allowed) {
    String meant =
        closest(name, allowed)
            .map(each -> "did you mean " + each + "?")
            .orElseGet(() -> "there are " + String.join(", ", allowed));
    return "there is no \"" + name + "\" in " + where + "; " + meant;
  }

  private static Optional<String> closest(String name, List<String> allowed) {
    String typed = name.toLowerCase(Locale.ROOT).replace('_', '-');
    int bound = Math.min(3, 1 + typed.length() / 4);
    return typed.length() > 50
        ? Optional.empty()
        : allowed.stream()
            .filter(each -> distance(typed, each) <= bound)
            .min(Comparator.comparingInt(each -> distance(typed, each)));
  }

  /** Returns the edit distance of two names. */
  private static int distance(String one, String other) {
    int[] above = new int[other.length() + 1];
    for (int j = 0; j <= other.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] row = new int[other.length() + 1];
      row[0] = i;
      for (int j = 1; j <= other.length(); j++) {
        int replaced = above[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replaced, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[other.length()];
  }
}
