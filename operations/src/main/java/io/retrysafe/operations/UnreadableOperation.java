// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Browsable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An operation whose entry cannot be read: it was damaged, or a later release wrote it.
 *
 * @param name the name of the entry in the store
 * @param key the operation, if its key can be read
 * @param problem why it cannot be read
 */
public record UnreadableOperation(String name, Optional<OperationKey> key, String problem)
    implements Result {

  static UnreadableOperation of(Browsable.Unreadable entry) {
    return new UnreadableOperation(entry.name(), entry.key(), entry.problem());
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", name);
    key.ifPresent(
        known -> {
          map.put("id", new OperationId(known).toString());
          map.put("account", known.scope().account());
          map.put("endpoint", Endpoint.of(known.scope()));
          map.put("key", known.value());
        });
    map.put("problem", problem);
    return map;
  }

  @Override
  public String text() {
    return text(List.of(this));
  }

  static String text(List<UnreadableOperation> operations) {
    StringBuilder out = new StringBuilder();
    for (UnreadableOperation each : operations) {
      String what =
          each.key
              .map(known -> Endpoint.of(known.scope()) + " " + known.value())
              .orElse("entry " + each.name);
      String line = "unreadable  " + what.strip() + ": " + each.problem;
      // Stored control characters must not reach a terminal.
      out.append(line.replaceAll("\\p{Cntrl}", "\ufffd")).append('\n');
    }
    return out.toString();
  }
}
