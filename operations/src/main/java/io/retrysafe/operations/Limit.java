// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import org.jspecify.annotations.Nullable;

/** The size of a page: 1 to 1,000, by default 100. */
final class Limit {
  private static final int STANDARD = 100;
  private static final int MOST = 1000;

  private Limit() {}

  static int of(@Nullable String text) {
    if (text == null || text.isEmpty()) {
      return STANDARD;
    }
    if (!text.matches("[0-9]{1,4}")) {
      throw wrong(text);
    }
    return check(Integer.parseInt(text));
  }

  static int check(int limit) {
    if (limit < 1 || limit > MOST) {
      throw wrong(String.valueOf(limit));
    }
    return limit;
  }

  private static IllegalArgumentException wrong(String limit) {
    return new IllegalArgumentException("limit must be from 1 to " + MOST + ", was " + limit);
  }
}
