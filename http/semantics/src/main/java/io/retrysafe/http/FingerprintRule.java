// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** What makes two requests under one key the same request. */
public final class FingerprintRule {
  private static final FingerprintRule RAW = new FingerprintRule(Kind.RAW, List.of());
  private static final FingerprintRule JSON = new FingerprintRule(Kind.JSON, List.of());
  private static final FingerprintRule NONE = new FingerprintRule(Kind.NONE, List.of());

  enum Kind {
    RAW,
    JSON,
    POINTERS,
    NONE
  }

  private final Kind kind;
  private final List<JsonPointer> pointers;

  private FingerprintRule(Kind kind, List<JsonPointer> pointers) {
    this.kind = kind;
    this.pointers = pointers;
  }

  /** Returns the rule that method, target, content type and every byte count. */
  public static FingerprintRule raw() {
    return RAW;
  }

  /**
   * Returns the rule that a JSON body counts by its members, however they are ordered and spaced.
   * Numbers count as they are written.
   */
  public static FingerprintRule json() {
    return JSON;
  }

  /** Returns the rule that of a JSON body only these places count. */
  public static FingerprintRule pointers(String... pointers) {
    return pointers(List.of(pointers));
  }

  private static FingerprintRule pointers(List<String> pointers) {
    if (pointers.isEmpty()) {
      throw new IllegalArgumentException("name at least one JSON pointer, or none");
    }
    return new FingerprintRule(
        Kind.POINTERS,
        pointers.stream()
            .map(JsonPointer::parse)
            .sorted(Comparator.comparing(JsonPointer::text))
            .toList());
  }

  /** Returns the rule that only method and target count. */
  public static FingerprintRule none() {
    return NONE;
  }

  static FingerprintRule read(Object value) {
    if (value instanceof FingerprintRule rule) {
      return rule;
    }
    if (value instanceof Iterable<?>) {
      return pointers(Reading.list(value));
    }
    String text = Reading.text(value);
    return switch (text) {
      case "raw" -> RAW;
      case "json" -> JSON;
      case "none" -> NONE;
      default -> pointers(Reading.list(text));
    };
  }

  Kind kind() {
    return kind;
  }

  List<JsonPointer> pointers() {
    return pointers;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FingerprintRule that
        && kind == that.kind
        && pointers.equals(that.pointers);
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, pointers);
  }

  @Override
  public String toString() {
    return kind == Kind.POINTERS
        ? pointers.stream().map(JsonPointer::text).toList().toString()
        : Reading.word(kind);
  }
}
