// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.describe;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.GatewayRoute;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.store.Profile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A description of how a gateway guards one route.
 *
 * @param match what it matches
 * @param parts its sections by title
 * @param errors the error answers that callers may get
 * @param policy its settings by name
 */
record RouteDescription(
    String match, Map<String, String> parts, List<ErrorAnswer> errors, Map<String, String> policy) {

  /** An error answer of the gateway. */
  record ErrorAnswer(int status, String type, String title) {
    Map<String, Object> toMap() {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("status", status);
      map.put("type", type);
      map.put("title", title);
      return map;
    }
  }

  static RouteDescription of(
      GatewayConfig config,
      GatewayRoute route,
      String match,
      HttpPolicy policy,
      @Nullable Profile profile) {
    Map<String, String> settings = new LinkedHashMap<>();
    Settings.all().forEach(each -> settings.put(each.name(), RouteSections.text(policy.get(each))));
    settings.computeIfPresent("key", (name, rule) -> RouteSections.keyRule(match, rule));
    return new RouteDescription(
        match,
        new RouteSections(config, route, match, settings).parts(profile),
        errors(route, settings),
        settings);
  }

  private static List<ErrorAnswer> errors(GatewayRoute route, Map<String, String> settings) {
    List<ErrorAnswer> errors = new ArrayList<>();
    if (String.valueOf(settings.get("key")).equals("none")) {
      return errors;
    }
    String base = String.valueOf(settings.get("problem-base"));
    for (ProblemType type : ProblemType.values()) {
      if (!canHappen(type, route, settings)) {
        continue;
      }
      String status = settings.getOrDefault(type.word() + "-status", "" + type.status());
      errors.add(new ErrorAnswer(Integer.parseInt(status), base + type.word(), type.title()));
    }
    return errors;
  }

  private static boolean canHappen(
      ProblemType type, GatewayRoute route, Map<String, String> settings) {
    return switch (type) {
      case KEY_EXPIRED -> !"run".equals(settings.get("expired-keys"));
      case ACCOUNT_MISSING -> "refuse".equals(settings.get("anonymous"));
      case REPLAY_REFUSED, AUTHORIZER_UNAVAILABLE -> route.authorize() != null;
      // A gateway has no handlers that could throw.
      case OPERATION_FAILED -> false;
      default -> true;
    };
  }

  Map<String, Object> toMap() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("match", match);
    map.put("design", parts);
    map.put("errors", errors.stream().map(ErrorAnswer::toMap).toList());
    map.put("policy", policy);
    return map;
  }

  String text() {
    StringBuilder out = new StringBuilder(match + "\n");
    parts.forEach((name, said) -> out.append(indented(name, said)));
    if (!errors.isEmpty()) {
      out.append("  errors\n");
      errors.forEach(each -> out.append(indented("  " + each.status, word(each))));
    }
    return out.toString();
  }

  private static String word(ErrorAnswer error) {
    return error.type.substring(error.type.lastIndexOf(':') + 1) + ": " + error.title;
  }

  /** Returns a title and its text in lines of at most 80 characters. */
  private static String indented(String name, String said) {
    StringBuilder out = new StringBuilder();
    StringBuilder line = new StringBuilder("  %-13s".formatted(name));
    for (String each : said.split(" ", -1)) {
      if (line.length() + each.length() > 78) {
        out.append(line.toString().stripTrailing()).append('\n');
        line = new StringBuilder(" ".repeat(15));
      }
      line.append(line.length() == 15 ? "" : " ").append(each);
    }
    return out.append(line).append('\n').toString();
  }

  String markdown() {
    StringBuilder out = new StringBuilder("## " + match + "\n\n| | |\n|---|---|\n");
    parts.forEach((name, said) -> out.append("| " + name + " | " + cell(said) + " |\n"));
    if (!errors.isEmpty()) {
      out.append("\n| status | problem | |\n|---|---|---|\n");
      errors.forEach(
          each -> out.append("| %d | `%s` | %s |\n".formatted(each.status, each.type, each.title)));
    }
    return out.toString();
  }

  private static String cell(String text) {
    return text.replace("|", "\\|");
  }

  Map<String, Object> openApi() {
    Map<String, Object> operation = new LinkedHashMap<>();
    operation.put("description", String.join("\n", parts.values()));
    String key = String.valueOf(policy.get("key"));
    if (!key.equals("none") && !key.startsWith("{")) {
      Map<String, Object> header = new LinkedHashMap<>();
      header.put("name", String.valueOf(policy.get("key-header")));
      header.put("in", "header");
      header.put("required", key.startsWith("required"));
      header.put("schema", Map.of("type", "string", "minLength", 1, "maxLength", 255));
      operation.put("parameters", List.of(header));
    }
    Map<String, Object> responses = new TreeMap<>();
    errors.forEach(
        each ->
            responses.merge(
                String.valueOf(each.status),
                Map.of("description", each.title),
                (a, b) ->
                    Map.of("description", ((Map<?, ?>) a).get("description") + "; " + each.title)));
    responses.put("2XX", Map.of("description", "The service's answer, recorded or replayed."));
    operation.put("responses", responses);
    return operation;
  }
}
