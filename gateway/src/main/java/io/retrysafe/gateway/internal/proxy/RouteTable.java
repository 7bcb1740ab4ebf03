// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Pem;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.gateway.internal.metrics.RouteCounters;
import io.retrysafe.gateway.internal.wire.FieldNames;
import io.retrysafe.gateway.internal.wire.FieldRules;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.Route;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The routes of a configuration: the guard, and the target of each route. */
final class RouteTable {
  private static final String UNMATCHED = "other requests";
  private static final Setting<?> KEY_HEADER = Settings.named("key-header");

  private final GatewayConfig config;
  private final HttpGuard guard;
  private final Map<Route, RouteTarget> targets = new HashMap<>();
  private final List<RouteTarget> all = new ArrayList<>();
  private final RouteTarget passing;
  private final ConcurrentHashMap<Route, RouteTarget> unmatched = new ConcurrentHashMap<>();
  private final Function<String, RouteCounters> counters;
  private final @Nullable PemTrustOptions roots;
  private final FieldRules fieldRules;

  RouteTable(GatewayConfig config, Retrysafe engine, Metrics metrics) {
    this.config = config;
    this.counters = metrics::route;
    this.roots = config.upstreamRoots() == null ? null : Pem.roots(config.upstreamRoots());
    HttpGuard.Builder builder =
        HttpGuard.builder(engine)
            .policy(config.policy())
            .memory(metrics.bodies().budget(config.limits().bodiesMemory()));
    config.routes().forEach(route -> builder.route(route.match(), route.policy()));
    this.guard = builder.build();
    List<Route> routes = guard.routes();
    this.fieldRules = new FieldRules(config.trustedProxies(), ownFields(config, routes));
    for (int i = 0; i < routes.size(); i++) {
      GatewayRoute settings = config.routes().get(i);
      RouteTarget target =
          new RouteTarget(
              settings.match(),
              routes.get(i),
              settings,
              config.upstream(settings),
              fieldRules,
              counters.apply(settings.match()));
      targets.put(routes.get(i), target);
      all.add(target);
    }
    this.passing = unmatched(null);
    all.add(passing);
  }

  /** Returns the normalised names of the fields that carry keys and accounts. */
  private static Set<String> ownFields(GatewayConfig config, List<Route> routes) {
    Set<String> own = new HashSet<>();
    own.add(FieldNames.normalised(String.valueOf(config.policy().get(KEY_HEADER))));
    routes.forEach(route -> own.add(FieldNames.normalised(route.keyHeader())));
    config.account().trustedHeaders().forEach(name -> own.add(FieldNames.normalised(name)));
    return Set.copyOf(own);
  }

  FieldRules fieldRules() {
    return fieldRules;
  }

  GatewayConfig config() {
    return config;
  }

  /** Returns the root certificates for upstreams; null for the JVM's. */
  @Nullable PemTrustOptions roots() {
    return roots;
  }

  HttpGuard guard() {
    return guard;
  }

  /** Returns every target, that of unmatched requests last. */
  List<RouteTarget> targets() {
    return all;
  }

  /**
   * Returns the target of a request. With one upstream, a request that always passes needs no
   * route.
   */
  RouteTarget target(String method, String path) {
    if (config.upstreams().size() == 1 && HttpGuard.alwaysPasses(method)) {
      return passing;
    }
    return guard.match(method, path).map(this::target).orElse(passing);
  }

  /** Returns the name of the upstream that an operation goes to, if the operation is a request. */
  Optional<String> service(OperationKey key) {
    List<String> scope = key.scope().parts();
    for (int i = 1; i + 1 < scope.size(); i++) {
      // After the account, which has two parts if callers share it.
      if (scope.get(i + 1).startsWith("/")) {
        return name(target(scope.get(i), scope.get(i + 1)).upstream());
      }
    }
    return Optional.empty();
  }

  private Optional<String> name(URI upstream) {
    return config.upstreams().entrySet().stream()
        .filter(each -> each.getValue().equals(upstream))
        .map(each -> each.getKey().equals("default") ? upstream.toString() : each.getKey())
        .findFirst();
  }

  private RouteTarget target(Route route) {
    RouteTarget target = targets.get(route);
    return target != null ? target : unmatched.computeIfAbsent(route, this::unmatched);
  }

  private RouteTarget unmatched(@Nullable Route route) {
    return new RouteTarget(
        UNMATCHED, route, null, config.upstream(), fieldRules, counters.apply(UNMATCHED));
  }
}
