// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Explains the operations under a key: one sentence if there is one operation, a list to choose
 * from if several accounts or endpoints have the key.
 *
 * @param key the caller's key
 * @param operations the operations under it
 * @param sentences a sentence for each
 */
public record Explanation(String key, List<OperationSummary> operations, List<String> sentences)
    implements Result {
  public Explanation {
    operations = List.copyOf(operations);
    sentences = List.copyOf(sentences);
  }

  @Override
  public Map<String, Object> toMap() {
    List<Map<String, Object>> all = new ArrayList<>();
    for (int i = 0; i < operations.size(); i++) {
      Map<String, Object> one = new LinkedHashMap<>(operations.get(i).toMap());
      one.put("explanation", sentences.get(i));
      all.add(one);
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("key", key);
    map.put("operations", all);
    return map;
  }

  @Override
  public String text() {
    if (operations.size() == 1) {
      return Table.wrapped(sentences.get(0));
    }
    return operations.size()
        + " operations have this key; choose one with --account or --route:\n"
        + OperationSummary.candidates(operations);
  }
}
