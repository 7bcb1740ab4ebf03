// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Rows as people read them, and as programs do. */
final class Table {
  private Table() {}

  /** Returns the rows in aligned columns. */
  static String text(List<Row> rows, Unit unit) {
    List<List<String>> cells = new ArrayList<>();
    cells.add(
        List.of(
            "case",
            "callers",
            "ops/s",
            "min..max",
            "mean " + unit,
            "p50 " + unit,
            "p99 " + unit,
            "cpu " + unit,
            "B/op",
            "ops/s as a multiple of"));
    for (Row row : rows) {
      cells.add(cells(row, unit));
    }
    StringBuilder text = new StringBuilder();
    for (List<String> line : cells) {
      StringBuilder padded = new StringBuilder();
      for (int i = 0; i < line.size(); i++) {
        String cell = line.get(i);
        String gap = " ".repeat(width(cells, i) - cell.length());
        boolean isText = i == 0 || i == line.size() - 1;
        padded.append(i == 0 ? "" : "  ").append(isText ? cell + gap : gap + cell);
      }
      text.append(padded.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }

  private static List<String> cells(Row row, Unit unit) {
    Round median = row.median();
    List<String> ratios = new ArrayList<>();
    row.ratios().forEach((name, ratio) -> ratios.add(name + ' ' + decimals(ratio, 2)));
    return List.of(
        row.name(),
        Integer.toString(row.callers()),
        decimals(median.perSecond(), 0),
        decimals(row.slowest(), 0) + ".." + decimals(row.fastest(), 0),
        decimals(unit.of(median.mean()), 2),
        decimals(unit.of(median.p50()), 2),
        decimals(unit.of(median.p99()), 2),
        median.cpu() < 0 ? "-" : decimals(unit.of(median.cpu()), 2),
        median.bytes() < 0 ? "-" : decimals(median.bytes(), 0),
        String.join(", ", ratios));
  }

  private static int width(List<List<String>> cells, int column) {
    return cells.stream().mapToInt(line -> line.get(column).length()).max().orElse(0);
  }

  /** Returns a JSON object. Names of cases are ours: they need no escaping. */
  static String json(Row row) {
    Round median = row.median();
    StringBuilder json = new StringBuilder();
    json.append("{\"case\":\"").append(row.name());
    json.append("\",\"callers\":").append(row.callers());
    json.append(",\"ops_per_s\":").append(decimals(median.perSecond(), 1));
    json.append(",\"mean_ms\":").append(decimals(median.mean() / 1e6, 6));
    json.append(",\"p50_ms\":").append(decimals(median.p50() / 1e6, 6));
    json.append(",\"p99_ms\":").append(decimals(median.p99() / 1e6, 6));
    if (median.cpu() >= 0) {
      json.append(",\"cpu_ms\":").append(decimals(median.cpu() / 1e6, 6));
    }
    if (median.bytes() >= 0) {
      json.append(",\"alloc_bytes\":").append(decimals(median.bytes(), 1));
    }
    for (Map.Entry<String, Double> ratio : row.ratios().entrySet()) {
      json.append(",\"ratio_to_").append(ratio.getKey());
      json.append("\":").append(decimals(ratio.getValue(), 4));
    }
    return json.append('}').toString();
  }

  private static String decimals(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
