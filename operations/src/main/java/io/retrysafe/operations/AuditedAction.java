// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.AuditRecord;
import io.retrysafe.store.AuditRecord.Result;
import io.retrysafe.store.History;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * An operator's action as the audit shows it.
 *
 * @param id the operation
 * @param at when the action was requested
 * @param actor who
 * @param text what, why, and the result unless the action was applied
 * @param record the action for programs; empty if this release cannot read what the store keeps
 */
public record AuditedAction(
    OperationId id, Instant at, String actor, String text, Optional<AuditRecord> record) {

  static AuditedAction of(History.Event event) {
    Optional<AuditRecord> record = AuditRecord.of(event);
    return new AuditedAction(
        new OperationId(event.key()), event.first(), event.by(), text(event), record);
  }

  /** Returns {@code events} without the first records of actions whose results are there too. */
  static List<History.Event> joined(List<History.Event> events) {
    Set<String> ended =
        events.stream()
            .map(AuditRecord::of)
            .flatMap(Optional::stream)
            .filter(record -> record.result() != Result.REQUESTED)
            .map(AuditRecord::id)
            .collect(Collectors.toSet());
    return events.stream()
        .filter(
            event ->
                AuditRecord.of(event)
                    .filter(record -> record.result() == Result.REQUESTED)
                    .filter(record -> ended.contains(record.id()))
                    .isEmpty())
        .toList();
  }

  /** Returns the detail of an event for people. */
  static String text(History.Event event) {
    return AuditRecord.of(event).map(AuditedAction::text).orElse(event.detail());
  }

  /** Returns what and why, and the result unless the action was applied. */
  static String text(AuditRecord record) {
    String result =
        switch (record.result()) {
          case APPLIED -> "";
          case REQUESTED -> " (no result was recorded)";
          case LEASED -> " (refused: the operation was running)";
          case CHANGED -> " (refused: the operation had changed)";
          case REJECTED -> " (refused: the store rejected the call)";
          case UNKNOWN -> " (the store did not answer; the action may have been applied)";
        };
    return what(record) + ": " + record.note().reason() + result;
  }

  /** Returns what the operator did, in a few words. */
  static String what(AuditRecord record) {
    return switch (record.action()) {
      case DONE -> record.status().isEmpty() ? "done" : "done with " + record.status().getAsInt();
      case NOT_DONE -> "not done";
      case FORGET -> "forgotten";
    };
  }

  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id.toString());
    map.put("account", id.key().scope().account());
    map.put("endpoint", Endpoint.of(id.key().scope()));
    map.put("key", id.key().value());
    map.put("at", Moments.iso(at));
    map.put("actor", actor);
    record.ifPresentOrElse(
        known -> {
          map.put("action", name(known.action()));
          known.status().ifPresent(status -> map.put("status", status));
          map.put("reason", known.note().reason());
          map.put("result", name(known.result()));
          map.put("fence", known.fence());
          map.put("process", known.process());
        },
        () -> map.put("detail", text));
    return map;
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
