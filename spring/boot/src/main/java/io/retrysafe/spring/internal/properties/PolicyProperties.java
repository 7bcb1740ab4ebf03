// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.properties;

import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.settings.Setting;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.spring.UnknownOutcomes;
import io.retrysafe.spring.internal.startup.StartupException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** The policies that properties and annotations set, under the names of {@link Settings}. */
public final class PolicyProperties {
  static final String PREFIX = "retrysafe";
  private static final int MOST_ROUTES = 1000;

  /** Members of the settings that may be more than a word: {@code key.from}, for example. */
  private static final List<String> MEMBERS = List.of("from", "pattern");

  private final Binder binder;

  public PolicyProperties(Environment environment) {
    this.binder = Binder.get(environment);
  }

  /** A route of the properties. */
  public record ConfiguredRoute(String match, HttpPolicy policy, boolean isJoined) {}

  /** Returns the policy for all routes and methods. */
  public HttpPolicy policy() {
    return under(PREFIX, HttpPolicy.create());
  }

  /** Returns the policy for all routes and methods, with the application's bean if there is one. */
  public HttpPolicy policy(@Nullable UnknownOutcomes unknown) {
    return unknown == null ? policy() : policy().unknownOn(unknown::isUnknown);
  }

  /** Returns the routes under {@code retrysafe.routes}, in order. */
  public List<ConfiguredRoute> routes() {
    return IntStream.range(0, MOST_ROUTES)
        .mapToObj(i -> PREFIX + ".routes[" + i + "]")
        .map(prefix -> Map.entry(prefix, text(prefix + ".match")))
        .takeWhile(route -> route.getValue().isPresent())
        .map(route -> route(route.getKey(), route.getValue().orElseThrow()))
        .toList();
  }

  private ConfiguredRoute route(String prefix, String match) {
    boolean isJoined =
        text(prefix + ".transaction").filter(word -> word.equalsIgnoreCase("join")).isPresent();
    HttpPolicy base = isJoined ? joined() : HttpPolicy.create();
    return new ConfiguredRoute(match, under(prefix, base), isJoined);
  }

  /**
   * What differs where work and answer are one transaction: an unsettled entry means that the work
   * is not done, and a failure that it was rolled back.
   */
  public static HttpPolicy joined() {
    return HttpPolicy.create().with("failures", "release").with("recovery", "rerun");
  }

  private HttpPolicy under(String prefix, HttpPolicy base) {
    HttpPolicy policy = base;
    for (Setting<?> setting : Settings.all()) {
      String name = prefix + "." + setting.name();
      Optional<Object> value = value(name);
      if (value.isPresent()) {
        policy = with(policy, setting.name(), value.get(), name);
      }
    }
    return policy;
  }

  /** Returns a string, a list, or a map, as the property is written. */
  private Optional<Object> value(String name) {
    Optional<Object> value = textOrList(name);
    for (String member : MEMBERS) {
      value = value.or(() -> textOrList(name + "." + member).map(found -> Map.of(member, found)));
    }
    return value;
  }

  private Optional<Object> textOrList(String name) {
    Optional<Object> text = text(name).map(found -> found);
    return text.or(() -> bound(name, Bindable.listOf(String.class)));
  }

  private Optional<String> text(String name) {
    return bound(name, Bindable.of(String.class));
  }

  private <T> Optional<T> bound(String name, Bindable<? extends T> type) {
    return Optional.ofNullable(binder.bind(ConfigurationPropertyName.of(name), type).orElse(null));
  }

  /** Returns {@code base} with the settings of an annotation, each {@code name=value}. */
  public static HttpPolicy of(HttpPolicy base, String[] settings, String where) {
    HttpPolicy policy = base;
    for (Map.Entry<String, Object> setting : parsed(settings, where).entrySet()) {
      policy = with(policy, setting.getKey(), setting.getValue(), where);
    }
    return policy;
  }

  /** Returns the settings of an annotation by name. */
  public static Map<String, Object> parsed(String[] settings, String where) {
    Map<String, Object> parsed = new LinkedHashMap<>();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      if (equals < 0) {
        throw new StartupException(
            where + " has the setting \"" + setting + "\", which has no value.",
            "Write it as name=value, such as \"retention=48h\".");
      }
      String name = setting.substring(0, equals).strip();
      Object value = setting.substring(equals + 1).strip();
      int dot = name.indexOf('.');
      if (dot > 0) {
        value = Map.of(name.substring(dot + 1), value);
        name = name.substring(0, dot);
      }
      parsed.put(name, value);
    }
    return parsed;
  }

  private static HttpPolicy with(HttpPolicy policy, String name, Object value, String where) {
    try {
      return policy.with(name, value);
    } catch (IllegalArgumentException e) {
      throw new StartupException(
          where + ": " + e.getMessage() + ".", "Correct it, or leave it out for the default.", e);
    }
  }
}
