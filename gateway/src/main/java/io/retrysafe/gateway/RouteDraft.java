// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A route while it is read. */
final class RouteDraft {
  static final List<GatewaySetting<RouteDraft>> SETTINGS =
      List.of(
          new GatewaySetting<RouteDraft>(
                  "match",
                  "METHOD /path",
                  "must be set",
                  "The requests: a method, or none for any, and a path, in which {id} is any"
                      + " segment and /** at the end any rest.",
                  (draft, value) -> {})
              .onlyInFiles(),
          new GatewaySetting<RouteDraft>(
                  "upstream",
                  "a name from upstreams",
                  "the only one",
                  "Where they go.",
                  RouteDraft::upstream)
              .onlyInFiles(),
          new GatewaySetting<RouteDraft>(
                  "forward-key",
                  "same | derived | none",
                  "same",
                  "The key that the upstream gets: the caller's, one derived from account, method,"
                      + " path and key, or none.",
                  (draft, value) ->
                      draft.route = draft.route.forwardKey(Words.of(ForwardKey.class, value)))
              .onlyInFiles(),
          new GatewaySetting<RouteDraft>(
                  "recovery",
                  "park | rerun | { lookup: GET /path/{key}, after: a duration }",
                  "park",
                  "What an unknown outcome means for a retry. A lookup asks the upstream, never"
                      + " before after (10 times answer-timeout by default): 2xx is its answer,"
                      + " 404 means run, else"
                      + " parked.",
                  RouteDraft::recovery)
              .onlyInFiles(),
          new GatewaySetting<RouteDraft>(
                  "authorize",
                  "URL",
                  "nobody is asked",
                  "Who is asked before each replay; 401 and 403 are passed on and nothing is"
                      + " replayed.",
                  (draft, value) ->
                      draft.route = draft.route.authorize(Urls.http("authorize", value)))
              .onlyInFiles());

  private final Matches matches;
  private final Set<String> upstreams;
  private GatewayRoute route = GatewayRoute.create("/");

  RouteDraft(Matches matches, Set<String> upstreams) {
    this.matches = matches;
    this.upstreams = upstreams;
  }

  GatewayRoute read(Value.Members members) {
    Map<String, Value> values = members.values();
    members.only("a route", names());
    route = GatewayRoute.create(members.required("match").strip());
    matches.add(route.match(), values.getOrDefault("match", members).place());
    for (GatewaySetting<RouteDraft> setting : SETTINGS) {
      Value value = values.get(setting.name());
      if (value != null) {
        setting.read(this, value);
      }
    }
    for (Setting<?> setting : Settings.all()) {
      Value value = values.get(setting.name());
      if (value != null && !isOwn(setting.name())) {
        route = route.policy(Policies.with(route.policy(), setting.name(), value));
      }
    }
    if (route.upstream() == null && upstreams.size() > 1) {
      throw members.place().error("the route must name its upstream, one of " + upstreams);
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

  private void upstream(Value value) {
    if (!upstreams.contains(value.text())) {
      throw new IllegalArgumentException("there are " + upstreams);
    }
    route = route.upstream(value.text());
  }

  private void recovery(Value value) {
    if (value instanceof Value.Members members) {
      members.only("a recovery", List.of("lookup", "after"));
      Value after = members.values().get("after");
      route =
          route.lookup(
              RecoveryLookup.parse(
                  members.required("lookup"), after == null ? null : Words.duration(after)));
    } else {
      route = route.policy(Policies.with(route.policy(), "recovery", value));
    }
  }
}
