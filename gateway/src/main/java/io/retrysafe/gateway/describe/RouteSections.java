// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.describe;

import io.retrysafe.Recovery;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.gateway.config.Mode;
import io.retrysafe.gateway.config.RecoveryLookup;
import io.retrysafe.internal.DurationText;
import io.retrysafe.internal.SizeText;
import io.retrysafe.store.Profile;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sections of a route's description. */
final class RouteSections {
  private final GatewayConfig config;
  private final GatewayRoute route;
  private final String match;
  private final Map<String, String> settings;

  RouteSections(
      GatewayConfig config, GatewayRoute route, String match, Map<String, String> settings) {
    this.config = config;
    this.route = route;
    this.match = match;
    this.settings = settings;
  }

  Map<String, String> parts(@Nullable Profile profile) {
    Map<String, String> parts = new LinkedHashMap<>();
    parts.put("upstream", config.upstream(route).toString());
    if (is("key", "none") || (isOther() && !is("unmatched", "guard"))) {
      parts.put("promise", "nothing: requests pass as they come");
      return parts;
    }
    parts.put("key", key());
    parts.put("scope", "the account (" + config.account() + "), the method and the path");
    parts.put(
        "same request",
        "fingerprint "
            + get("fingerprint")
            + "; another one gets "
            + get("key-reused-status")
            + " key-reused");
    parts.put(
        "claim",
        "one atomic step of the store before the request is sent on; a random token fences all that"
            + " follows");
    parts.put(
        "in flight",
        "leased for %s and renewed for up to %s; a duplicate waits %s, then gets %s in-progress"
            .formatted(get("lease"), get("max-running"), get("wait"), get("in-progress-status")));
    parts.put("downstream", downstream());
    parts.put(
        "retention",
        "an answer of up to " + get("answer-limit") + " is replayed for " + get("retention"));
    parts.put("failures", get("failures") + "; refused before any effect: " + get("refused"));
    parts.put("unknown", unknown());
    parts.put("promise", promise(profile));
    parts.put("example", example());
    return parts;
  }

  private String key() {
    String rule = get("key");
    return rule.startsWith("{")
        ? "a natural key " + rule
        : rule + ", in the header " + get("key-header") + ", format " + get("key-format");
  }

  /** Returns the meaning of the default rule for a route's method. */
  static String keyRule(String match, String rule) {
    if (!rule.equals("by-method")) {
      return rule;
    }
    return switch (match.split(" ", 2)[0]) {
      case "POST", "PATCH" -> "required";
      case "PUT", "DELETE" -> "optional";
      default -> "optional for PUT and DELETE, required for all other unsafe methods";
    };
  }

  private String downstream() {
    return switch (route.forwardKey()) {
      case SAME -> "the upstream gets the caller's key as it was sent";
      case DERIVED -> "the upstream gets a key derived from account, method, path and key";
      case NONE -> "the upstream gets no key";
    };
  }

  private String unknown() {
    RecoveryLookup lookup = route.lookup();
    if (lookup != null) {
      return "asked for at " + lookup.path() + " after " + text(lookup.after(config.limits()));
    }
    return is("recovery", "rerun")
        ? "after a crash a retry runs it again: one effect only if the upstream honours the key"
        : "after a crash it is parked: at most one attempt, and 409 until an operator resolves it";
  }

  private String promise(@Nullable Profile profile) {
    if (config.mode() == Mode.OBSERVE) {
      return "nothing: the gateway only observes";
    }
    return profile == null
        ? "what the store says when it is opened; docs/guarantees.md has all of them"
        : StartupSummary.promise(profile);
  }

  private String example() {
    boolean isNatural = get("key").startsWith("{");
    String[] parts = isOther() ? new String[] {"POST", "/orders"} : match.split(" ", 2);
    return "curl -X %s http://%s%s%s -d '{}'"
        .formatted(
            parts[0],
            config.listen(),
            parts[1].replaceAll("[{]([^}]*)[}]", "$1"),
            isNatural ? "" : " -H '" + get("key-header") + ": 4f9c2a'");
  }

  private boolean isOther() {
    return !match.contains(" /");
  }

  private boolean is(String name, String value) {
    return get(name).equals(value);
  }

  private String get(String name) {
    return String.valueOf(settings.get(name));
  }

  /** Returns the value of a setting in its text form. */
  static String text(Object value) {
    if (value instanceof Duration duration) {
      return DurationText.text(duration);
    }
    if (value instanceof Long size) {
      return SizeText.text(size);
    }
    if (value instanceof Enum<?> word) {
      return word.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
    if (value instanceof Recovery recovery) {
      return recovery instanceof Recovery.Rerun
          ? "rerun"
          : recovery instanceof Recovery.Park ? "park" : "reconcile";
    }
    return value instanceof List<?> list ? list.toString() : String.valueOf(value);
  }
}
