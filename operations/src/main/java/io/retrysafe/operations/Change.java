// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.AuditNote;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A change that an operator made.
 *
 * @param id the operation
 * @param what the change in a few words, such as {@code not done: the next retry runs it}
 * @param note who made it, and why
 */
public record Change(OperationId id, String what, AuditNote note) implements Result {

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id.toString());
    map.put("changed", what);
    map.put("actor", note.actor());
    map.put("reason", note.reason());
    return map;
  }

  @Override
  public String text() {
    return what + "\n";
  }
}
