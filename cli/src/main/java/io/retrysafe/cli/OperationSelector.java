// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import io.retrysafe.operations.OperationId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Selects one operation: by its id, or by its key and, if several have it, account and route. */
final class OperationSelector {
  private static final int MOST_PAGES = 100;

  @Parameters(paramLabel = "KEY", description = "The caller's key, or an id as printed by --json.")
  private String text;

  @Option(names = "--account", paramLabel = "A", description = "Only this account.")
  private @Nullable String account;

  @Option(
      names = "--route",
      paramLabel = "R",
      description = "Only this method and path, such as \"POST /payments\".")
  private @Nullable String route;

  Map<String, String> query() {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("key", text);
    put(query, "account", account);
    put(query, "route", route);
    return query;
  }

  static void put(Map<String, String> query, String name, @Nullable Object value) {
    if (value != null) {
      query.put(name, value.toString());
    }
  }

  boolean isId() {
    return OperationId.isOne(text);
  }

  /**
   * An operation that was selected.
   *
   * @param id its id
   * @param fence its fence in the listing that it was found in; empty if it was given by its id
   */
  record Selected(String id, OptionalLong fence) {}

  /** Returns the id of the selected operation. */
  String id(OperationsClient client) {
    return select(client).id();
  }

  /** Returns the selected operation; throws if there is none, or if there are several. */
  Selected select(OperationsClient client) {
    if (isId()) {
      return new Selected(text, OptionalLong.empty());
    }
    List<Map<String, Object>> found = new ArrayList<>();
    List<String> unreadable = new ArrayList<>();
    Optional<String> cursor = Optional.of("");
    for (int i = 0; i < MOST_PAGES && cursor.isPresent() && found.size() < 20; i++) {
      Map<String, String> query = query();
      query.put("cursor", cursor.get());
      OperationsClient.Found page = client.find(query);
      found.addAll(page.operations());
      unreadable.addAll(page.unreadable());
      cursor = page.next();
    }
    if (found.isEmpty() && !unreadable.isEmpty()) {
      throw new AdminException(
          500, "the store holds something that this release cannot read: " + unreadable.get(0));
    }
    if (found.isEmpty() && cursor.isPresent()) {
      throw new AdminException(
          503, "the store holds too much to search all of it; add --account and --route");
    }
    if (found.isEmpty()) {
      throw new AdminException(404, "there is no operation with the key " + text);
    }
    if (found.size() > 1) {
      StringBuilder several =
          new StringBuilder(found.size() + " operations have this key; add --account or --route:");
      found.forEach(
          each ->
              several.append(
                  "\n  --account %s --route \"%s\"  (%s)"
                      .formatted(each.get("account"), each.get("endpoint"), each.get("state"))));
      throw new AmbiguousKeyException(several.toString());
    }
    Map<String, Object> one = found.get(0);
    return new Selected(
        String.valueOf(one.get("id")),
        one.get("fence") instanceof Long fence ? OptionalLong.of(fence) : OptionalLong.empty());
  }
}
