// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.describe;

import io.retrysafe.Recovery;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Mode;
import io.retrysafe.gateway.config.RecoveryLookup;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.store.Profile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The lines that a gateway logs when it starts: what it promises for every route. */
public final class StartupSummary {
  private final GatewayConfig config;
  private final Profile profile;

  public StartupSummary(GatewayConfig config, Profile profile) {
    this.config = config;
    this.profile = profile;
  }

  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("store: " + profile.name() + " (" + String.join("; ", profile.conditions()) + ")");
    lines.add("account: " + config.account());
    if (config.mode() == Mode.OBSERVE) {
      lines.add("observe: nothing is stopped and nothing is promised, duplicates are counted");
    }
    for (GatewayRoute route : config.routes()) {
      HttpPolicy policy = route.policy().over(config.policy());
      lines.add(line(route.match(), config.upstream(route).toString(), policy, route.lookup()));
    }
    boolean isGuarded = String.valueOf(value(config.policy(), "unmatched")).equals("GUARD");
    String others = config.routes().isEmpty() ? "all requests" : "other requests";
    lines.add(
        isGuarded
            ? line(others, config.upstream().toString(), config.policy(), null)
            : others + " -> " + config.upstream() + ": pass, nothing is promised");
    return lines;
  }

  private String line(
      String match, String upstream, HttpPolicy policy, @Nullable RecoveryLookup lookup) {
    String key = String.valueOf(value(policy, "key"));
    String promise =
        key.equals("none") || config.mode() == Mode.OBSERVE
            ? "nothing is promised"
            : promise(profile) + "; " + unknown(policy, lookup, config.limits());
    return match + " -> " + upstream + ": key " + key + "; " + promise;
  }

  /**
   * Returns the part of a store's promise that applies to effects at an upstream. What the store
   * promises for effects in its own database does not apply to a gateway.
   */
  public static String promise(Profile profile) {
    return Arrays.stream(profile.promise().split("; ", -1))
        .filter(part -> !part.startsWith("with the effect in the same database"))
        .collect(Collectors.joining("; "));
  }

  private static String unknown(HttpPolicy policy, @Nullable RecoveryLookup lookup, Limits limits) {
    if (lookup != null) {
      return "an unknown outcome is asked for at "
          + lookup.path()
          + " after "
          + lookup.after(limits);
    }
    return value(policy, "recovery") instanceof Recovery.Rerun
        ? "after a crash at least one attempt: one effect only if the upstream honours the key"
        : "after a crash at most one attempt: an unknown outcome is parked";
  }

  private static Object value(HttpPolicy policy, String name) {
    return policy.get(Settings.named(name));
  }
}
