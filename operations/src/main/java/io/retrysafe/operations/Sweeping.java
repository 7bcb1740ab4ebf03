// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The result of a sweep.
 *
 * @param removed how many expired or freed entries were removed
 * @param unsettled those among them that never got an outcome
 * @param isNative whether the store removes expired entries itself, so that a sweep does nothing
 */
public record Sweeping(int removed, List<OperationSummary> unsettled, boolean isNative)
    implements Result {
  public Sweeping {
    unsettled = List.copyOf(unsettled);
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("removed", removed);
    map.put("unsettled", unsettled.stream().map(OperationSummary::toMap).toList());
    map.put("native", isNative);
    return map;
  }

  @Override
  public String text() {
    if (isNative) {
      return "the store removes expired operations by itself\n";
    }
    String swept = "removed " + removed + "\n";
    return unsettled.isEmpty()
        ? swept
        : swept
            + unsettled.size()
            + " of them never got an outcome:\n"
            + OperationSummary.table(unsettled);
  }
}
