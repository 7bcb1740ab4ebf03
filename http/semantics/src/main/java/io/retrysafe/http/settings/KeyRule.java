// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

import io.retrysafe.http.internal.syntax.HttpMethods;
import io.retrysafe.http.internal.syntax.KeySource;
import java.util.List;
import java.util.Map;

/** Whether requests of a route need a key, or what it is made from. */
public final class KeyRule {
  /** Optional for PUT and DELETE, required for POST, PATCH and all other unsafe methods. */
  static final KeyRule BY_METHOD = new KeyRule("by-method", List.of());

  private static final KeyRule REQUIRED = new KeyRule("required", List.of());
  private static final KeyRule OPTIONAL = new KeyRule("optional", List.of());
  private static final KeyRule NONE = new KeyRule("none", List.of());

  /** What a request without a key gets. */
  public enum Need {
    REQUIRED,
    OPTIONAL,
    NONE
  }

  private final String word;
  private final List<String> sources;

  private KeyRule(String word, List<String> sources) {
    this.word = word;
    this.sources = sources;
  }

  /** Returns the rule that a request without a key is refused. */
  public static KeyRule required() {
    return REQUIRED;
  }

  /** Returns the rule that a key is honoured where one is sent. */
  public static KeyRule optional() {
    return OPTIONAL;
  }

  /** Returns the rule that requests pass untouched, with or without a key. */
  public static KeyRule none() {
    return NONE;
  }

  /**
   * Returns the rule that the key is made from the request, so that the same business intent makes
   * the same key: JSON pointers such as {@code /order/id}, or headers such as {@code header
   * X-Cart}.
   */
  public static KeyRule from(String... sources) {
    return from(List.of(sources));
  }

  private static KeyRule from(List<String> sources) {
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("a natural key needs something to be made from");
    }
    return new KeyRule(
        "natural", sources.stream().map(source -> KeySource.parse(source).toString()).toList());
  }

  static KeyRule read(Object value) {
    if (value instanceof KeyRule rule) {
      return rule;
    }
    if (value instanceof Map<?, ?> map) {
      Object from = map.get("from");
      if (from == null || map.size() != 1) {
        throw new IllegalArgumentException("a natural key has from and nothing else");
      }
      return from(SettingReader.list(from));
    }
    for (KeyRule rule : List.of(REQUIRED, OPTIONAL, NONE, BY_METHOD)) {
      if (rule.word.equals(SettingReader.text(value))) {
        return rule;
      }
    }
    throw new IllegalArgumentException("no other word is allowed");
  }

  /** Returns whether requests with this method need a key. */
  public Need need(String method) {
    if (this == BY_METHOD) {
      return switch (method) {
        case "PUT", "DELETE" -> Need.OPTIONAL;
        default -> HttpMethods.SAFE.contains(method) ? Need.NONE : Need.REQUIRED;
      };
    }
    return this == NONE ? Need.NONE : this == OPTIONAL ? Need.OPTIONAL : Need.REQUIRED;
  }

  /** Returns the sources of a natural key; none if the caller sends the key. */
  public List<String> sources() {
    return sources;
  }

  @Override
  public String toString() {
    return sources.isEmpty() ? word : "{ from: " + sources + " }";
  }
}
