// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An operation with its explanation and its timeline, without its answer.
 *
 * @param operation the operation
 * @param explanation one sentence: what happened, or what to do
 * @param timeline what happened, oldest first, as far as the store keeps it
 */
public record OperationReport(
    OperationSummary operation, String explanation, List<TimelineEvent> timeline)
    implements Result {
  public OperationReport {
    timeline = List.copyOf(timeline);
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>(operation.toMap());
    map.put("explanation", explanation);
    map.put("timeline", timeline.stream().map(TimelineEvent::toMap).toList());
    return map;
  }

  @Override
  public String text() {
    StringBuilder out = new StringBuilder();
    line(out, "id", operation.id().toString());
    line(out, "key", operation.key());
    line(out, "account", operation.account());
    line(out, "endpoint", operation.endpoint());
    line(out, "state", operation.state().toString());
    line(out, "attempts", String.valueOf(operation.attempt()));
    line(out, "fence", String.valueOf(operation.fence()));
    line(out, "began", Moments.full(operation.createdAt()));
    line(out, ended(), Moments.full(endedAt()));
    line(out, "forgotten at", Moments.full(operation.expiresAt()));
    operation.status().ifPresent(status -> line(out, "answer", answer(status)));
    out.append('\n').append(Table.wrapped(explanation));
    if (!timeline.isEmpty()) {
      out.append('\n').append(TimelineEvent.table(timeline));
    }
    return out.toString();
  }

  private String ended() {
    return switch (operation.state()) {
      case IN_PROGRESS -> "leased until";
      case UNKNOWN -> "unknown since";
      case RESUMABLE -> "left at";
      case COMPLETED, FAILED -> "settled";
    };
  }

  /** An answer that came after the lease had ended does not move its end. */
  private Instant endedAt() {
    Instant ended = operation.leaseUntil();
    return operation.status().isEmpty()
        ? ended
        : timeline.stream()
            .filter(event -> ExplanationWriter.SETTLING.contains(event.kind()))
            .map(TimelineEvent::last)
            .filter(ExplanationWriter.isLater(ended))
            .reduce((a, b) -> b)
            .orElse(ended);
  }

  private String answer(int status) {
    String code = status == 0 ? "without status" : String.valueOf(status);
    return operation.isAnswerKept() ? code : code + ", not kept";
  }

  private static void line(StringBuilder out, String name, String value) {
    out.append("%-15s%s\n".formatted(name, value.isEmpty() ? "-" : value));
  }
}
