// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import io.retrysafe.gateway.config.ForwardKey;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.RecoveryLookup;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads the settings of one route. */
final class RouteReader {
  static final List<GatewaySetting<RouteReader>> SETTINGS =
      List.of(
          new GatewaySetting<RouteReader>(
                  "match",
                  "METHOD /path",
                  "must be set",
                  "The requests: a method, or none for any, and a path, in which {id} is any"
                      + " segment and /** at the end any rest.",
                  (reader, value) -> {})
              .onlyInFiles(),
          new GatewaySetting<RouteReader>(
                  "upstream",
                  "a name from upstreams",
                  "the only one",
                  "Where they go.",
                  RouteReader::upstream)
              .onlyInFiles(),
          new GatewaySetting<RouteReader>(
                  "forward-key",
                  "same | derived | none",
                  "same",
                  "The key that the upstream gets: the caller's, one derived from account, method,"
                      + " path and key, or none.",
                  (reader, value) ->
                      reader.route =
                          reader.route.forwardKey(ValueParser.of(ForwardKey.class, value)))
              .onlyInFiles(),
          new GatewaySetting<RouteReader>(
                  "recovery",
                  "park | rerun | { lookup: GET /path/{key}, after: a duration }",
                  "park",
                  "What an unknown outcome means for a retry. A lookup asks the upstream, never"
                      + " before after (10 times answer-timeout by default): 2xx is its answer,"
                      + " 404 means run, else"
                      + " parked.",
                  RouteReader::recovery)
              .onlyInFiles(),
          new GatewaySetting<RouteReader>(
                  "authorize",
                  "URL",
                  "nobody is asked",
                  "Who is asked before each replay; 401 and 403 are passed on and nothing is"
                      + " replayed.",
                  (reader, value) ->
                      reader.route = reader.route.authorize(UrlReader.http("authorize", value)))
              .onlyInFiles());

  private final UniqueMatches matches;
  private final Set<String> upstreams;
  private GatewayRoute route = GatewayRoute.create("/");

  RouteReader(UniqueMatches matches, Set<String> upstreams) {
    this.matches = matches;
    this.upstreams = upstreams;
  }

  GatewayRoute read(ConfigValue.Members members) {
    Map<String, ConfigValue> values = members.values();
    members.only("a route", names());
    route = GatewayRoute.create(members.required("match").strip());
    matches.add(route.match(), values.getOrDefault("match", members).location());
    for (GatewaySetting<RouteReader> setting : SETTINGS) {
      ConfigValue value = values.get(setting.name());
      if (value != null) {
        setting.read(this, value);
      }
    }
    for (Setting<?> setting : Settings.all()) {
      ConfigValue value = values.get(setting.name());
      if (value != null && !isOwn(setting.name())) {
        route = route.policy(PolicyReader.with(route.policy(), setting.name(), value));
      }
    }
    if (route.upstream() == null && upstreams.size() > 1) {
      throw members.location().error("the route must name its upstream, one of " + upstreams);
    }
    return route;
  }

  private static List<String> names() {
    List<String> names = new ArrayList<>();
    SETTINGS.forEach(setting -> names.add(setting.name()));
    Settings.all().stream()
        .filter(setting -> !setting.isShared() && !isOwn(setting.name()))
        .forEach(setting -> names.add(setting.name()));
    return names;
  }

  private static boolean isOwn(String name) {
    return SETTINGS.stream().anyMatch(setting -> setting.name().equals(name));
  }

  private void upstream(ConfigValue value) {
    if (!upstreams.contains(value.text())) {
      throw new IllegalArgumentException("there are " + upstreams);
    }
    route = route.upstream(value.text());
  }

  private void recovery(ConfigValue value) {
    if (value instanceof ConfigValue.Members members) {
      members.only("a recovery", List.of("lookup", "after"));
      ConfigValue after = members.values().get("after");
      route =
          route.lookup(
              RecoveryLookup.parse(
                  members.required("lookup"), after == null ? null : ValueParser.duration(after)));
    } else {
      route = route.policy(PolicyReader.with(route.policy(), "recovery", value));
    }
  }
}
