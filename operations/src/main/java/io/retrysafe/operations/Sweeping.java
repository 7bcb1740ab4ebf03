// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a sweep removed.
 *
 * @param removed how many entries that had expired or been freed
 * @param unsettled those among them that never got an outcome
 * @param isNative whether the store removes expired entries by itself, so that nothing was to do
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
