// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.Browsable;
import io.retrysafe.store.State;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Selects operations.
 *
 * @param states the states
 * @param account the account, or empty for all
 * @param key the key, or empty for all
 * @param route the endpoint, such as {@code POST /payments}, or empty for all; a part in braces,
 *     one in each segment, matches anything but a slash
 * @param older how long ago the operations began at least
 * @param limit how many at most, 1 to 1,000
 * @param cursor the cursor that the last listing returned; empty for the first page
 */
public record OperationQuery(
    Set<State> states,
    Optional<String> account,
    Optional<String> key,
    Optional<String> route,
    Duration older,
    int limit,
    Optional<String> cursor) {
  /** The parameters that {@link #of(Map)} takes. */
  public static final Set<String> NAMES =
      Set.of("state", "account", "key", "route", "older", "limit", "cursor");

  public OperationQuery {
    states = Set.copyOf(states);
    Limit.check(limit);
    route.ifPresent(RouteTemplate::check);
  }

  /** Returns the query for the first 100 operations of all. */
  public static OperationQuery create() {
    return of(Map.of());
  }

  /**
   * Returns the query that parameters describe: any of {@code state} (several with commas), {@code
   * account}, {@code key}, {@code route}, {@code older} (such as {@code 10m}), {@code limit} (100
   * by default) and {@code cursor}. An empty value counts as not given.
   *
   * @throws IllegalArgumentException if a parameter is unknown or wrong; the message names it
   */
  public static OperationQuery of(Map<String, String> parameters) {
    Members.only(parameters.keySet(), NAMES);
    return new OperationQuery(
        given(parameters, "state").map(OperationQuery::states).orElse(EnumSet.allOf(State.class)),
        given(parameters, "account"),
        given(parameters, "key"),
        given(parameters, "route"),
        given(parameters, "older")
            .map(text -> Members.duration("older", text))
            .orElse(Duration.ZERO),
        Limit.of(parameters.get("limit")),
        given(parameters, "cursor"));
  }

  private static Optional<String> given(Map<String, String> parameters, String name) {
    return Optional.ofNullable(parameters.get(name)).filter(text -> !text.isEmpty());
  }

  private static Set<State> states(String text) {
    return Arrays.stream(text.split(",", -1))
        .map(OperationQuery::state)
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(State.class)));
  }

  private static State state(String text) {
    try {
      return State.valueOf(text.strip().toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "state must be some of "
              + Arrays.stream(State.values()).map(State::toString).collect(Collectors.joining(", "))
              + ", was "
              + text,
          e);
    }
  }

  /** Returns this query with another cursor. */
  OperationQuery from(String cursor) {
    Optional<String> next = Optional.of(cursor).filter(text -> !text.isEmpty());
    return new OperationQuery(states, account, key, route, older, limit, next);
  }

  /** Returns the texts under which stores may hold the route; empty for any. */
  List<Optional<String>> endpoints() {
    return route.isEmpty() || isTemplate()
        ? List.of(Optional.empty())
        : Endpoint.stored(route.get(), account).stream().map(Optional::of).toList();
  }

  /** Returns the query for a store: {@code size} entries from {@code at} on. */
  Browsable.Query toStore(Optional<String> endpoint, int size, Optional<String> at) {
    return new Browsable.Query(states, account, endpoint, key, older, size, at);
  }

  /** Returns whether the route matches an endpoint; stores compare only whole texts. */
  boolean fits(String endpoint) {
    return !isTemplate() || RouteTemplate.matches(route.orElseThrow(), endpoint);
  }

  private boolean isTemplate() {
    return route.filter(text -> text.contains("{")).isPresent();
  }
}
