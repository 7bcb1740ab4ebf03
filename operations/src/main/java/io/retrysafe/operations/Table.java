// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.util.ArrayList;
import java.util.List;

/** A table of at most 80 columns. Cells that are too long lose their middle. */
final class Table {
  private static final int WIDTH = 80;
  private static final String GAP = "  ";

  private final int[] widest;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * @param widest the largest width of each column but the last, which gets the rest of the line
   */
  Table(int... widest) {
    this.widest = widest;
  }

  Table row(String... cells) {
    rows.add(List.of(cells));
    return this;
  }

  String text() {
    StringBuilder out = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widest.length; i++) {
        String cell = shortened(row.get(i), width(i));
        line.append(cell).append(" ".repeat(width(i) - length(cell))).append(GAP);
      }
      line.append(shortened(row.get(widest.length), WIDTH - length(line.toString())));
      out.append(line.toString().stripTrailing()).append('\n');
    }
    return out.toString();
  }

  private int width(int column) {
    int longest = rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0);
    return Math.min(longest, widest[column]);
  }

  static String shortened(String text, int most) {
    int length = length(text);
    if (length <= most) {
      return text;
    }
    int head = (most - 1) * 2 / 3;
    int tail = most - 1 - head;
    return text.substring(0, text.offsetByCodePoints(0, head))
        + "…"
        + text.substring(text.offsetByCodePoints(text.length(), -tail));
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** Returns {@code text} in lines of at most 80 characters, broken at spaces. */
  static String wrapped(String text) {
    return wrapped(text, 0);
  }

  /** Returns {@code text} in such lines, each after {@code indent} spaces. */
  static String wrapped(String text, int indent) {
    StringBuilder out = new StringBuilder();
    StringBuilder line = new StringBuilder();
    for (String word : text.split(" ", -1)) {
      if (line.length() > 0 && length(line + " " + word) > WIDTH - indent) {
        out.append(" ".repeat(indent)).append(line).append('\n');
        line.setLength(0);
      }
      line.append(line.length() == 0 ? "" : " ").append(word);
    }
    return out.append(" ".repeat(indent)).append(line).append('\n').toString();
  }
}
