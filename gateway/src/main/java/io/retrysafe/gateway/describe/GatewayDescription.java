// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.describe;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
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
 * A description of how a gateway guards its routes and what it promises there, for people and
 * programs.
 */
public final class GatewayDescription implements Result {
  private static final String OTHERS = "other requests";

  private final String store;
  private final @Nullable Profile profile;
  private final @Nullable String ddl;
  private final List<RouteDescription> routes;

  private GatewayDescription(
      String store,
      @Nullable Profile profile,
      @Nullable String ddl,
      List<RouteDescription> routes) {
    this.store = store;
    this.profile = profile;
    this.ddl = ddl;
    this.routes = List.copyOf(routes);
  }

  /**
   * Returns the description of a configuration.
   *
   * @param profile the profile of its store; null if the store was not opened
   */
  public static GatewayDescription of(GatewayConfig config, @Nullable Profile profile) {
    List<RouteDescription> routes = new ArrayList<>();
    for (GatewayRoute route : config.routes()) {
      HttpPolicy policy = route.policy().over(config.policy());
      routes.add(RouteDescription.of(config, route, route.match(), policy, profile));
    }
    String others = config.routes().isEmpty() ? "all requests" : OTHERS;
    routes.add(
        RouteDescription.of(config, GatewayRoute.create(others), others, config.policy(), profile));
    String name = profile == null ? scheme(config.store()) : profile.name();
    return new GatewayDescription(name, profile, null, routes);
  }

  /** Returns only the scheme, because a URL may contain a password. */
  private static String scheme(String url) {
    return url.startsWith("jdbc:") ? url.split(":", 3)[1] : url.split(":", 2)[0];
  }

  /** Returns this description with the statements that create the store's tables. */
  public GatewayDescription ddl(String statements) {
    return new GatewayDescription(store, profile, statements, routes);
  }

  /**
   * Returns the description of one route.
   *
   * @param match as it is configured, such as {@code POST /payments}
   * @throws IllegalArgumentException if there is no such route; the message lists the routes
   */
  public GatewayDescription only(String match) {
    List<RouteDescription> found =
        routes.stream().filter(each -> each.match().equals(match)).toList();
    if (found.isEmpty()) {
      throw new IllegalArgumentException(
          "there is no route "
              + match
              + "; there are "
              + routes.stream().map(RouteDescription::match).toList());
    }
    return new GatewayDescription(store, profile, ddl, found);
  }

  @Override
  public Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("store", store);
    map.put("routes", routes.stream().map(RouteDescription::toMap).toList());
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
    for (RouteDescription route : routes) {
      out.append(out.length() == 0 ? "" : "\n").append(route.text());
    }
    out.append("\nstore: ").append(store).append('\n');
    conditions().forEach(each -> out.append("  if ").append(each).append('\n'));
    return out.append(ddl == null ? "" : "\n" + ddl).toString();
  }

  private List<String> conditions() {
    return Optional.ofNullable(profile).map(Profile::conditions).orElse(List.of());
  }

  /** Returns the description as Markdown. */
  public String markdown() {
    StringBuilder out = new StringBuilder();
    for (RouteDescription route : routes) {
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
    for (RouteDescription route : routes) {
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
