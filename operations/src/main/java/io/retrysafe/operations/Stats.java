// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.store.State;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The number of operations in each state. Counting stops early if there are many, to spare the
 * store.
 *
 * @param counts how many in each state
 * @param atLeast the states in which there may be more
 * @param oldestUnknown the operation that is unknown for the longest time
 * @param unreadable how many entries cannot be read, of those that were counted
 * @param requests how requests ended since the start of this process, by route; empty without a
 *     gateway
 */
public record Stats(
    Map<State, Integer> counts,
    Set<State> atLeast,
    Optional<OperationSummary> oldestUnknown,
    int unreadable,
    Map<String, Map<String, Long>> requests)
    implements Result {
  public Stats {
    counts = Map.copyOf(counts);
    atLeast = Set.copyOf(atLeast);
    requests = Map.copyOf(requests);
  }

  /** Returns a copy with the results of requests, by route. */
  public Stats withRequests(Map<String, Map<String, Long>> ended) {
    return new Stats(counts, atLeast, oldestUnknown, unreadable, ended);
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> byState = new LinkedHashMap<>();
    EnumSet.allOf(State.class)
        .forEach(state -> byState.put(state.toString(), counts.getOrDefault(state, 0)));
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("operations", byState);
    map.put(
        "at_least",
        EnumSet.allOf(State.class).stream()
            .filter(atLeast::contains)
            .map(State::toString)
            .toList());
    if (unreadable > 0) {
      map.put("unreadable", unreadable);
    }
    oldestUnknown.ifPresent(each -> map.put("oldest_unknown", each.toMap()));
    map.put("requests", new TreeMap<>(requests));
    return map;
  }

  @Override
  public String text() {
    Table table = new Table(12);
    for (State state : State.values()) {
      String count = String.valueOf(counts.getOrDefault(state, 0));
      table.row(state.toString(), atLeast.contains(state) ? count + " or more" : count);
    }
    if (unreadable > 0) {
      table.row("unreadable", String.valueOf(unreadable));
    }
    StringBuilder out = new StringBuilder(table.text());
    oldestUnknown.ifPresent(each -> out.append("\nlongest unknown:\n").append(each.text()));
    if (!requests.isEmpty()) {
      Table routes = new Table(36, 26);
      routes.row("ROUTE", "REQUESTS", "COUNT");
      new TreeMap<>(requests)
          .forEach((route, ended) -> rows(route, ended).forEach(row -> routes.row(row)));
      out.append("\nsince this process began:\n").append(routes.text());
    }
    return out.toString();
  }

  private static List<String[]> rows(String route, Map<String, Long> ended) {
    List<String[]> rows = new ArrayList<>();
    new TreeMap<>(ended)
        .forEach(
            (word, count) -> {
              if (count > 0) {
                rows.add(new String[] {rows.isEmpty() ? route : "", word, count.toString()});
              }
            });
    return rows;
  }
}
