// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A page of operations. It may hold fewer than were asked for; only {@code next} tells whether
 * there are more.
 *
 * @param operations the operations
 * @param unreadable operations among them that are stored and cannot be read
 * @param next the cursor of the next page; empty on the last one
 */
public record Listing(
    List<OperationSummary> operations, List<UnreadableOperation> unreadable, Optional<String> next)
    implements Result {
  public Listing {
    operations = List.copyOf(operations);
    unreadable = List.copyOf(unreadable);
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("operations", operations.stream().map(OperationSummary::toMap).toList());
    if (!unreadable.isEmpty()) {
      map.put("unreadable", unreadable.stream().map(UnreadableOperation::toMap).toList());
    }
    next.ifPresent(cursor -> map.put("next", cursor));
    return map;
  }

  @Override
  public String text() {
    boolean isEmpty = operations.isEmpty() && unreadable.isEmpty();
    String table =
        isEmpty
            ? "no operations\n"
            : (operations.isEmpty() ? "" : OperationSummary.table(operations))
                + UnreadableOperation.text(unreadable);
    return next.map(cursor -> table + "more with --cursor " + cursor + "\n").orElse(table);
  }
}
