// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

import io.retrysafe.http.internal.syntax.KeyTimestamp;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** What keys of a route must look like. */
public final class KeyFormat {
  private static final KeyFormat ANY = new KeyFormat("any", null);
  private static final KeyFormat UUID = new KeyFormat("uuid", KeyTimestamp.UUID);
  private static final KeyFormat ULID = new KeyFormat("ulid", KeyTimestamp.ULID);

  private final String name;
  private final @Nullable Pattern pattern;

  private KeyFormat(String name, @Nullable Pattern pattern) {
    this.name = name;
    this.pattern = pattern;
  }

  /** Returns the format that every key has. */
  public static KeyFormat any() {
    return ANY;
  }

  /** Returns the format of UUIDs of any version, 36 characters with hyphens. */
  public static KeyFormat uuid() {
    return UUID;
  }

  /** Returns the format of ULIDs, 26 characters. */
  public static KeyFormat ulid() {
    return ULID;
  }

  /** Returns the format of keys that match {@code regex} as a whole. */
  public static KeyFormat pattern(String regex) {
    try {
      return new KeyFormat("pattern " + regex, Pattern.compile(regex));
    } catch (PatternSyntaxException e) {
      throw new IllegalArgumentException(
          "the pattern of a key format is no regular expression: " + e.getDescription(), e);
    }
  }

  static KeyFormat read(Object value) {
    if (value instanceof KeyFormat format) {
      return format;
    }
    if (value instanceof Map<?, ?> map
        && map.size() == 1
        && map.get("pattern") instanceof String regex) {
      return pattern(regex);
    }
    return switch (SettingReader.text(value)) {
      case "any" -> ANY;
      case "uuid" -> UUID;
      case "ulid" -> ULID;
      default -> throw new IllegalArgumentException("no other word is allowed");
    };
  }

  /** Returns whether a key has this format. */
  public boolean fits(String key) {
    return pattern == null || pattern.matcher(key).matches();
  }

  @Override
  public String toString() {
    return name;
  }
}
