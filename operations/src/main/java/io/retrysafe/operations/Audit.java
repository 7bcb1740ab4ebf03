// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What operators did, newest first.
 *
 * @param actions the actions
 * @param next where the next page begins: before this moment; empty on the last page
 */
public record Audit(List<TimelineEvent> actions, Optional<Instant> next) implements Result {
  public Audit {
    actions = List.copyOf(actions);
  }

  @Override
  public Map<String, Object> toMap() {
    List<Map<String, Object>> all =
        actions.stream()
            .map(
                each -> {
                  Map<String, Object> map = new LinkedHashMap<>();
                  map.put("id", each.id().toString());
                  map.put("account", each.id().key().scope().account());
                  map.put("endpoint", Endpoint.of(each.id().key().scope()));
                  map.put("key", each.id().key().value());
                  map.put("at", Moments.iso(each.last()));
                  map.put("actor", each.by());
                  map.put("action", each.detail());
                  return map;
                })
            .toList();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("actions", all);
    next.ifPresent(moment -> map.put("next", Moments.iso(moment)));
    return map;
  }

  @Override
  public String text() {
    if (actions.isEmpty()) {
      return "no actions\n";
    }
    StringBuilder out = new StringBuilder();
    for (TimelineEvent each : actions) {
      Table table = new Table(19, 20, 37);
      table.row(Moments.full(each.last()), each.by(), each.id().key().value());
      out.append(table.text()).append(Table.wrapped("  " + each.detail()));
    }
    return out.toString();
  }
}
