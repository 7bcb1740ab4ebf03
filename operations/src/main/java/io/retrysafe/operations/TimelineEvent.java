// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An event in the history of an operation, or an operator's action.
 *
 * @param id the operation
 * @param kind what, such as {@code claimed} or {@code replayed}
 * @param by the process that reported it, or the operator
 * @param first when it happened first
 * @param last when it happened last
 * @param count how often
 * @param detail a short text, may be empty
 */
public record TimelineEvent(
    OperationId id, String kind, String by, Instant first, Instant last, int count, String detail) {
  /** The kind of an operator's action that was applied. */
  static final String RESOLVED = History.RESOLVED;

  /** Returns what happened to {@code entry}, with one event for each operator's action. */
  static List<TimelineEvent> all(Entry entry, List<History.Event> events) {
    return AuditedAction.joined(events).stream().map(event -> of(entry, event)).toList();
  }

  private static TimelineEvent of(Entry entry, History.Event event) {
    return new TimelineEvent(
        new OperationId(event.key()),
        AuditRecord.of(event).map(record -> kind(entry, record)).orElse(event.kind()),
        event.by(),
        event.first(),
        event.last(),
        event.count(),
        AuditedAction.text(event));
  }

  /** A settled entry tells which action settled it, also where no result was recorded. */
  private static String kind(Entry entry, AuditRecord record) {
    return switch (record.result()) {
      case APPLIED -> RESOLVED;
      case REQUESTED, UNKNOWN -> record.hasSettled(entry) ? RESOLVED : "requested";
      case LEASED, CHANGED, REJECTED -> "refused";
    };
  }

  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("kind", kind);
    map.put("by", by);
    map.put("first", Moments.iso(first));
    map.put("last", Moments.iso(last));
    map.put("count", count);
    map.put("detail", detail);
    return map;
  }

  static String table(List<TimelineEvent> events) {
    Table table = new Table(19, 12, 14);
    for (TimelineEvent event : events) {
      String times =
          event.count == 1
              ? ""
              : event.count + " times, last " + Moments.text(event.last, event.first);
      String detail =
          times + (times.isEmpty() || event.detail.isEmpty() ? "" : "; ") + event.detail;
      table.row(Moments.full(event.first), event.kind, event.by, detail);
    }
    return table.text();
  }
}
