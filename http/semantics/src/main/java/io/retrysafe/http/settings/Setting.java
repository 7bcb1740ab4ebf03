// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

import java.util.function.Function;

/**
 * A setting: its one name in builders, properties and files, what it takes, and what it is for.
 * Instances are the constants of {@link Settings}.
 */
public final class Setting<T> {
  private final String name;
  private final String type;
  private final T standard;
  private final String standardText;
  private final String doc;
  private final Function<Object, T> reader;

  Setting(
      String name,
      String type,
      T standard,
      String standardText,
      String doc,
      Function<Object, T> reader) {
    this.name = name;
    this.type = type;
    this.standard = standard;
    this.standardText = standardText;
    this.doc = doc;
    this.reader = reader;
  }

  /** Returns the name, such as {@code answer-limit}. */
  public String name() {
    return name;
  }

  /** Returns what values look like, such as {@code keep | release}. */
  public String type() {
    return type;
  }

  /** Returns the default. */
  public T standard() {
    return standard;
  }

  /** Returns the default as it would be written. */
  public String standardText() {
    return standardText;
  }

  /** Returns what it is for, in a sentence. */
  public String doc() {
    return doc;
  }

  /** Returns whether it holds for all routes alike and cannot be set for one of them. */
  public boolean isShared() {
    return Settings.SHARED.contains(this);
  }

  /**
   * Returns the value that a file or property gives: a string, number, list or map, or a value of
   * the setting's own type.
   *
   * @throws IllegalArgumentException saying the setting, the value and what is allowed
   */
  public T read(Object value) {
    try {
      return reader.apply(value);
    } catch (IllegalArgumentException | ClassCastException e) {
      String why = e instanceof IllegalArgumentException ? ": " + e.getMessage() : "";
      throw new IllegalArgumentException(name + " must be " + type + ", was " + value + why, e);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
