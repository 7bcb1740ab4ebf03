// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.OperationKey;
import io.retrysafe.Retrysafe;
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

/** A configuration as requests meet it: the guard, and where each route leads. */
final class Site {
  private static final String UNMATCHED = "other requests";
  private static final Setting<?> KEY_HEADER = Settings.named("key-header");

  private final GatewayConfig config;
  private final HttpGuard guard;
  private final Map<Route, Target> targets = new HashMap<>();
  private final List<Target> all = new ArrayList<>();
  private final Target passing;
  private final ConcurrentHashMap<Route, Target> unmatched = new ConcurrentHashMap<>();
  private final Function<String, RouteCounters> counters;
  private final @Nullable PemTrustOptions roots;
  private final FieldRules fieldRules;

  Site(GatewayConfig config, Retrysafe engine, Metrics metrics) {
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
      Target target =
          new Target(
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
    return target != null ? target : unmatched.computeIfAbsent(route, this::unmatched);
  }

  private Target unmatched(@Nullable Route route) {
    return new Target(
        UNMATCHED, route, null, config.upstream(), fieldRules, counters.apply(UNMATCHED));
  }
}
