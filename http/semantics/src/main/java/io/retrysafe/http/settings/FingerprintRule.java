// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

import io.retrysafe.http.internal.json.JsonPointer;
import java.util.List;
import java.util.Objects;

/** What makes two requests under one key the same request. */
public final class FingerprintRule {
  private static final FingerprintRule RAW = new FingerprintRule(Kind.RAW, List.of());
  private static final FingerprintRule JSON = new FingerprintRule(Kind.JSON, List.of());
  private static final FingerprintRule NONE = new FingerprintRule(Kind.NONE, List.of());

  /** Which part of a request counts. */
  public enum Kind {
    /** Every byte. */
    RAW,
    /** The members of a JSON body. */
    JSON,
    /** Chosen members of a JSON body. */
    POINTERS,
    /** Method and target only. */
    NONE
  }

  private final Kind kind;
  private final List<String> pointers;

  private FingerprintRule(Kind kind, List<String> pointers) {
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
    pointers.forEach(JsonPointer::parse);
    return new FingerprintRule(Kind.POINTERS, pointers.stream().sorted().toList());
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
      return pointers(SettingReader.list(value));
    }
    String text = SettingReader.text(value);
    return switch (text) {
      case "raw" -> RAW;
      case "json" -> JSON;
      case "none" -> NONE;
      default -> pointers(SettingReader.list(text));
    };
  }

  /** Returns which part of a request counts. */
  public Kind kind() {
    return kind;
  }

  /** Returns the JSON pointers of {@link Kind#POINTERS}, sorted. */
  public List<String> pointers() {
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
    return kind == Kind.POINTERS ? pointers.toString() : SettingReader.word(kind);
  }
}
