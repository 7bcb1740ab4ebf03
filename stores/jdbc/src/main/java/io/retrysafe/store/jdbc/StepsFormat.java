// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Steps as text: {@code ;name:result} for each, both in hexadecimal. A name can be looked for and a
 * step added by the string functions that every database has.
 */
final class StepsFormat {
  private static final HexFormat HEX = HexFormat.of();

  private StepsFormat() {}

  /** Returns the text that is in the column if and only if a step of this name is. */
  static String mark(String name) {
    return ';' + HEX.formatHex(name.getBytes(StandardCharsets.UTF_8)) + ':';
  }

  static String write(String name, Bytes result) {
    return mark(name) + HEX.formatHex(result.toArray());
  }

  static int size(String name, Bytes result) {
    return name.getBytes(StandardCharsets.UTF_8).length + result.size();
  }

  static Map<String, Bytes> read(@Nullable String column) {
    if (column == null || column.isEmpty()) {
      return Map.of();
    }
    Map<String, Bytes> steps = new LinkedHashMap<>();
    for (String step : column.substring(1).split(";", -1)) {
      int colon = step.indexOf(':');
      if (colon < 0) {
        throw new IllegalArgumentException("the steps of an entry are damaged");
      }
      steps.put(
          new String(HEX.parseHex(step, 0, colon), StandardCharsets.UTF_8),
          Bytes.wrap(HEX.parseHex(step, colon + 1, step.length())));
    }
    return steps;
  }
}
