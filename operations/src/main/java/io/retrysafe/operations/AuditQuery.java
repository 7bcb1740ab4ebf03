// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Selects operators' actions.
 *
 * @param before only actions before this time; empty for the newest
 * @param limit how many at most, 1 to 1,000
 */
public record AuditQuery(Optional<Instant> before, int limit) {
  private static final Set<String> NAMES = Set.of("before", "limit");

  /** Late enough for every action; stores cannot represent {@link Instant#MAX}. */
  private static final Instant NEVER = Instant.parse("9999-01-01T00:00:00Z");

  public AuditQuery {
    Limit.check(limit);
    before.ifPresent(AuditQuery::check);
  }

  /** Returns the query for the newest 100 actions. */
  public static AuditQuery create() {
    return of(Map.of());
  }

  /**
   * Returns the query that parameters describe: {@code before} (a moment such as {@code
   * 2026-11-15T12:03:11Z}) and {@code limit} (100 by default). An empty value counts as not given.
   *
   * @throws IllegalArgumentException if a parameter is unknown or wrong; the message names it
   */
  public static AuditQuery of(Map<String, String> parameters) {
    Members.only(parameters.keySet(), NAMES);
    return new AuditQuery(
        Optional.ofNullable(parameters.get("before"))
            .filter(text -> !text.isEmpty())
            .map(AuditQuery::moment),
        Limit.of(parameters.get("limit")));
  }

  /** Returns the end of the selected period. */
  Instant end() {
    return before.orElse(NEVER);
  }

  private static Instant moment(String text) {
    try {
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw wrong(text, e);
    }
  }

  private static void check(Instant before) {
    if (before.isBefore(Instant.EPOCH) || before.isAfter(NEVER)) {
      throw wrong(before.toString(), null);
    }
  }

  private static IllegalArgumentException wrong(String before, @Nullable Exception cause) {
    return new IllegalArgumentException(
        "before must be a time such as 2026-11-15T12:03:11Z, was " + before, cause);
  }
}
