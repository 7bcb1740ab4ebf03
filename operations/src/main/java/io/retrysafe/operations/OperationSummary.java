// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.Outcome;
import io.retrysafe.internal.DurationText;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * An operation in a listing, without the body and headers of its answer.
 *
 * @param id its name in addresses and commands
 * @param account who asked
 * @param endpoint what for, such as {@code POST /payments}
 * @param key the caller's name for it
 * @param state its state
 * @param attempt how many claims were granted
 * @param fence the number of the last claim; a change may name it to be refused if it has changed
 * @param createdAt when it began
 * @param leaseUntil when its lease ends; if it was released or settled, when that happened
 * @param expiresAt when it will be forgotten
 * @param readAt when the store read it
 * @param status the status of its answer; empty if it is not settled
 * @param isAnswerKept whether the answer can be replayed
 */
public record OperationSummary(
    OperationId id,
    String account,
    String endpoint,
    String key,
    State state,
    int attempt,
    long fence,
    Instant createdAt,
    Instant leaseUntil,
    Instant expiresAt,
    Instant readAt,
    OptionalInt status,
    boolean isAnswerKept)
    implements Result {

  static OperationSummary of(Entry entry) {
    return new OperationSummary(
        new OperationId(entry.key()),
        entry.key().scope().account(),
        Endpoint.of(entry.key().scope()),
        entry.key().value(),
        entry.state(),
        entry.attempt(),
        entry.fence(),
        entry.times().createdAt(),
        entry.times().leaseUntil(),
        entry.times().expiresAt(),
        entry.times().readAt(),
        entry.outcome().map(each -> OptionalInt.of(each.status())).orElse(OptionalInt.empty()),
        entry.outcome().map(Outcome::isKept).orElse(false));
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id.toString());
    map.put("account", account);
    map.put("endpoint", endpoint);
    map.put("key", key);
    map.put("state", state.toString());
    map.put("attempt", attempt);
    map.put("fence", fence);
    map.put("created_at", Moments.iso(createdAt));
    map.put("lease_until", Moments.iso(leaseUntil));
    map.put("expires_at", Moments.iso(expiresAt));
    map.put("read_at", Moments.iso(readAt));
    if (status.isPresent()) {
      map.put("status", status.getAsInt());
      map.put("answer_kept", isAnswerKept);
    }
    return map;
  }

  @Override
  public String text() {
    return table(List.of(this));
  }

  static String table(List<OperationSummary> operations) {
    Table table = new Table(11, 6, 4, 24);
    table.row("STATE", "AGE", "CODE", "ENDPOINT", "KEY");
    for (OperationSummary each : operations) {
      table.row(
          each.state.toString(),
          DurationText.rounded(Duration.between(each.createdAt, each.readAt)),
          each.status.isPresent() && each.status.getAsInt() > 0
              ? String.valueOf(each.status.getAsInt())
              : "-",
          each.endpoint.isEmpty() ? "-" : each.endpoint,
          each.key);
    }
    return table.text();
  }

  /** Returns operations to choose from, each with its whole account. */
  static String candidates(List<OperationSummary> operations) {
    Table table = new Table(11, 6);
    operations.forEach(
        each ->
            table.row(
                each.state.toString(),
                DurationText.rounded(Duration.between(each.createdAt, each.readAt)),
                each.endpoint.isEmpty() ? "-" : each.endpoint));
    List<String> lines = table.text().lines().toList();
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < lines.size(); i++) {
      String account = Shell.quoted(operations.get(i).account);
      out.append(lines.get(i)).append("\n  --account ").append(account).append('\n');
    }
    return out.toString();
  }
}
