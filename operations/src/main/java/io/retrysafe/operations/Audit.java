// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
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

  /**
   * Returns the first {@code limit} of {@code actions}, which hold one more where there are more.
   * The next page begins before a moment, so that actions of the same moment stay together.
   */
  static Audit page(List<TimelineEvent> actions, int limit) {
    if (actions.size() <= limit) {
      return new Audit(actions, Optional.empty());
    }
    Instant beyond = actions.get(limit).first();
    List<TimelineEvent> page =
        actions.stream().filter(each -> each.first().isAfter(beyond)).toList();
    return page.isEmpty()
        ? new Audit(actions.subList(0, limit), Optional.of(beyond))
        : new Audit(page, Optional.of(page.get(page.size() - 1).first()));
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
    Table table = new Table(19, 14, 20);
    table.row("AT", "ACTOR", "ENDPOINT", "KEY");
    for (TimelineEvent each : actions) {
      OperationKey of = each.id().key();
      table.row(Moments.full(each.last()), each.by(), Endpoint.of(of.scope()), of.value());
    }
    List<String> lines = table.text().lines().toList();
    StringBuilder out = new StringBuilder(lines.get(0)).append('\n');
    for (int i = 0; i < actions.size(); i++) {
      out.append(lines.get(i + 1)).append('\n');
      out.append(Table.wrapped(actions.get(i).detail(), 2));
    }
    next.ifPresent(
        moment -> out.append("more with --before ").append(Moments.iso(moment)).append('\n'));
    return out.toString();
  }
}
