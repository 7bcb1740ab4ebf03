// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A value of a configuration and its location. */
sealed interface ConfigValue {
  SourceLocation location();

  /** Returns the plain value: a string, a list or a map of these. */
  Object plain();

  /** Returns a single value. */
  default String text() {
    throw new IllegalArgumentException("a single value was expected");
  }

  /** Returns the members of a map. */
  default Members members() {
    throw new IllegalArgumentException("a map was expected");
  }

  /** A single value, as it is written. */
  record Text(SourceLocation location, String text) implements ConfigValue {
    @Override
    public Object plain() {
      return text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** A list. */
  record Items(SourceLocation location, List<ConfigValue> items) implements ConfigValue {
    @Override
    public Object plain() {
      return items.stream().map(ConfigValue::plain).toList();
    }

    @Override
    public String toString() {
      return items.toString();
    }
  }

  /**
   * A map.
   *
   * @param keys the location of each name
   */
  record Members(
      SourceLocation location, Map<String, ConfigValue> values, Map<String, SourceLocation> keys)
      implements ConfigValue {
    @Override
    public Object plain() {
      Map<String, Object> plain = new LinkedHashMap<>();
      values.forEach((name, value) -> plain.put(name, value.plain()));
      return plain;
    }

    @Override
    public Members members() {
      return this;
    }

    /** Returns a member as text, or a default. */
    String text(String name, String otherwise) {
      return values.containsKey(name) ? required(name) : otherwise;
    }

    /** Returns a member as text. */
    String required(String name) {
      ConfigValue value = values.get(name);
      if (value == null) {
        throw location.error(name + " is missing here");
      }
      try {
        return value.text();
      } catch (IllegalArgumentException e) {
        throw value.location().error(name + " must be a single value, was " + value);
      }
    }

    /** Rejects names other than the allowed ones. */
    void only(String where, List<String> allowed) {
      values
          .keySet()
          .forEach(
              name -> {
                if (!allowed.contains(name)) {
                  throw keys.getOrDefault(name, location)
                      .error(DidYouMean.unknown(where, name, allowed));
                }
              });
    }

    @Override
    public String toString() {
      return values.toString();
    }
  }
}
