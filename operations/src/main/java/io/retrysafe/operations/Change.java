// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an operator changed.
 *
 * @param id the operation
 * @param what in a few words, such as {@code not done: the key is free}
 * @param because who and why
 */
public record Change(OperationId id, String what, Because because) implements Result {

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id.toString());
    map.put("changed", what);
    map.put("actor", because.actor());
    map.put("reason", because.reason());
    return map;
  }

  @Override
  public String text() {
    return what + "\n";
  }
}
