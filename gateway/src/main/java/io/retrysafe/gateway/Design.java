// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.HttpPolicy;
import io.retrysafe.internal.Json;
import io.retrysafe.operations.Result;
import io.retrysafe.store.Profile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How the routes of a gateway are guarded and what is promised there: the whole design, for people
 * and programs.
 */
public final class Design implements Result {
  private static final String OTHERS = "other requests";

  private final String store;
  private final @Nullable Profile profile;
  private final @Nullable String ddl;
  private final List<RouteDesign> routes;

  private Design(
      String store, @Nullable Profile profile, @Nullable String ddl, List<RouteDesign> routes) {
    this.store = store;
    this.profile = profile;
    this.ddl = ddl;
    this.routes = List.copyOf(routes);
  }

  /**
   * Returns the design of a configuration.
   *
   * @param profile what its store promises; null where that was not asked
   */
  public static Design of(GatewayConfig config, @Nullable Profile profile) {
    List<RouteDesign> routes = new ArrayList<>();
    for (GatewayRoute route : config.routes()) {
      HttpPolicy policy = route.policy().over(config.policy());
      routes.add(RouteDesign.of(config, route, route.match(), policy, profile));
    }
    String others = config.routes().isEmpty() ? "all requests" : OTHERS;
    routes.add(
        RouteDesign.of(config, GatewayRoute.create(others), others, config.policy(), profile));
    String name = profile == null ? scheme(config.store()) : profile.name();
    return new Design(name, profile, null, routes);
  }

  /** The scheme alone: an address may hold a password. */
  private static String scheme(String url) {
    return url.startsWith("jdbc:") ? url.split(":", 3)[1] : url.split(":", 2)[0];
  }

  /** Returns this design with the statements that make the store's tables. */
  public Design ddl(String statements) {
    return new Design(store, profile, statements, routes);
  }

  /**
   * Returns the design of one route.
   *
   * @param match as it is configured, such as {@code POST /payments}
   * @throws IllegalArgumentException if there is none, saying which there are
   */
  public Design only(String match) {
    List<RouteDesign> found = routes.stream().filter(each -> each.match().equals(match)).toList();
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no route "
              + match
              + "; there are "
              + routes.stream().map(RouteDesign::match).toList());
    }
    return new Design(store, profile, ddl, found);
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("store", store);
    map.put("routes", routes.stream().map(RouteDesign::toMap).toList());
    if (profile != null) {
      map.put("conditions", profile.conditions());
    }
    if (ddl != null) {
      map.put("ddl", ddl);
    }
    return map;
  }

  @Override
  public String text() {
    StringBuilder out = new StringBuilder();
    for (RouteDesign route : routes) {
      out.append(out.length() == 0 ? "" : "\n").append(route.text());
    }
    out.append("\nstore: ").append(store).append('\n');
    conditions().forEach(each -> out.append("  if ").append(each).append('\n'));
    return out.append(ddl == null ? "" : "\n" + ddl).toString();
  }

  private List<String> conditions() {
    return Optional.ofNullable(profile).map(Profile::conditions).orElse(List.of());
  }

  /** Returns the design as a document. */
  public String markdown() {
    StringBuilder out = new StringBuilder();
    for (RouteDesign route : routes) {
      out.append(out.length() == 0 ? "" : "\n").append(route.markdown());
    }
    out.append("\n## Store: ").append(store).append("\n\n");
    conditions().forEach(each -> out.append("- if ").append(each).append('\n'));
    if (ddl != null) {
      out.append("\n```sql\n").append(ddl.strip()).append("\n```\n");
    }
    return out.toString();
  }

  /**
   * Returns an OpenAPI document of what callers see: the key header and the answers of the gateway.
   */
  public String openApi() {
    Map<String, Map<String, Object>> paths = new LinkedHashMap<>();
    for (RouteDesign route : routes) {
      if (route.match().contains(" /")) {
        String[] parts = route.match().split(" ", 2);
        paths
            .computeIfAbsent(parts[1], path -> new LinkedHashMap<>())
            .put(parts[0].toLowerCase(Locale.ROOT), route.openApi());
      }
    }
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("openapi", "3.1.0");
    document.put("info", Map.of("title", "Retry-safe routes", "version", "1"));
    document.put("paths", paths);
    return Json.write(document);
  }
}
