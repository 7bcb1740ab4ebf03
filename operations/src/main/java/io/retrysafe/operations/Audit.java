// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A page of operators' actions, newest first. It may hold fewer than were asked for; only {@code
 * next} tells whether there are more.
 *
 * @param actions the actions
 * @param next where the next page begins: before this moment; empty on the last page
 */
public record Audit(List<AuditedAction> actions, Optional<Instant> next) implements Result {
  public Audit {
    actions = List.copyOf(actions);
  }

  /**
   * Returns the page that a store's records make. The next page begins before a moment, so actions
   * of one moment are never separated, nor are the two records of an action.
   *
   * @param records the newest records
   * @param hasMore whether the store may hold more of them
   * @param limit how many actions the page should hold at most
   */
  static Audit page(List<History.Event> records, boolean hasMore, int limit) {
    List<History.Event> whole = hasMore ? withoutLastMoment(records) : records;
    List<AuditedAction> actions =
        AuditedAction.joined(whole).stream().map(AuditedAction::of).toList();
    if (actions.size() > limit) {
      Instant beyond = actions.get(limit).at();
      List<AuditedAction> page =
          actions.stream().filter(each -> each.at().isAfter(beyond)).toList();
      actions =
          page.isEmpty()
              ? actions.stream().filter(each -> each.at().equals(beyond)).toList()
              : page;
    } else if (!hasMore) {
      return new Audit(actions, Optional.empty());
    }
    return new Audit(actions, Optional.of(actions.get(actions.size() - 1).at()));
  }

  private static List<History.Event> withoutLastMoment(List<History.Event> records) {
    Instant last = records.get(records.size() - 1).first();
    List<History.Event> before =
        records.stream().filter(each -> each.first().isAfter(last)).toList();
    return before.isEmpty() ? records : before;
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("actions", actions.stream().map(AuditedAction::toMap).toList());
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
    for (AuditedAction each : actions) {
      OperationKey of = each.id().key();
      table.row(Moments.full(each.at()), each.actor(), Endpoint.of(of.scope()), of.value());
    }
    List<String> lines = table.text().lines().toList();
    StringBuilder out = new StringBuilder(lines.get(0)).append('\n');
    for (int i = 0; i < actions.size(); i++) {
      out.append(lines.get(i + 1)).append('\n');
      out.append(Table.wrapped(actions.get(i).text(), 2));
    }
    next.ifPresent(
        moment -> out.append("more with --before ").append(Moments.iso(moment)).append('\n'));
    return out.toString();
  }
}
