// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.Route;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A configuration as requests meet it: the guard, and where each route leads. */
final class Site {
  private static final String UNMATCHED = "other requests";

  private final GatewayConfig config;
  private final HttpGuard guard;
  private final Map<Route, Target> targets = new HashMap<>();
  private final List<Target> all = new ArrayList<>();
  private final Target passing;
  private final ConcurrentHashMap<Route, Target> unmatched = new ConcurrentHashMap<>();
  private final Function<String, RouteCounters> counters;
  private final @Nullable PemTrustOptions roots;

  Site(GatewayConfig config, Retrysafe engine, Function<String, RouteCounters> counters) {
    this.config = config;
    this.counters = counters;
    this.roots = config.upstreamRoots() == null ? null : Pem.roots(config.upstreamRoots());
    HttpGuard.Builder builder = HttpGuard.builder(engine).policy(config.policy());
    config.routes().forEach(route -> builder.route(route.match(), route.policy()));
    this.guard = builder.build();
    List<Route> routes = guard.routes();
    for (int i = 0; i < routes.size(); i++) {
      GatewayRoute settings = config.routes().get(i);
      Target target =
          new Target(
              settings.match(),
              routes.get(i),
              settings,
              config.upstream(settings),
              counters.apply(settings.match()));
      targets.put(routes.get(i), target);
      all.add(target);
    }
    this.passing = new Target(UNMATCHED, null, null, config.upstream(), counters.apply(UNMATCHED));
    all.add(passing);
  }

  GatewayConfig config() {
    return config;
  }

  /** Returns the roots that upstreams are trusted by; null for the JVM's. */
  @Nullable PemTrustOptions roots() {
    return roots;
  }

  HttpGuard guard() {
    return guard;
  }

  /** Returns every target, that of unmatched requests last. */
  List<Target> targets() {
    return all;
  }

  /** Returns where a request goes. One that passes whatever a route says needs no route. */
  Target target(String method, String path) {
    if (config.upstreams().size() == 1 && HttpGuard.alwaysPasses(method)) {
      return passing;
    }
    return guard.match(method, path).map(this::target).orElse(passing);
  }

  /** Returns the name of the upstream that an operation goes to, where it is a request. */
  Optional<String> service(OperationKey key) {
    List<String> scope = key.scope().parts();
    for (int i = 1; i + 1 < scope.size(); i++) {
      // Behind the account, which has two parts where callers share it.
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

  private Target target(Route route) {
    Target target = targets.get(route);
    return target != null
        ? target
        : unmatched.computeIfAbsent(
            route,
            key -> new Target(UNMATCHED, key, null, config.upstream(), counters.apply(UNMATCHED)));
  }
}
