// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.LengthPrefixed;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The caller's name for an operation, unique inside its scope.
 *
 * @param scope where the name is unique
 * @param value 1 to 255 characters of visible ASCII with spaces allowed inside; spaces and tabs
 *     around it are dropped
 */
public record OperationKey(Scope scope, String value) {
  /** How many characters a key may have. */
  public static final int LONGEST = 255;

  public OperationKey {
    value = stripped(value);
    if (value.isEmpty()) {
      throw new IllegalArgumentException("a key must not be empty or blank");
    }
    if (value.length() > LONGEST) {
      throw new IllegalArgumentException(
          "a key has at most " + LONGEST + " characters, this one has " + value.length());
    }
    for (int i = 0; i < value.length(); i++) {
      if (value.charAt(i) < ' ' || value.charAt(i) > '~') {
        throw new IllegalArgumentException(
            "a key may only contain visible ASCII characters and inner spaces; character %d is U+%04X"
                .formatted(i + 1, (int) value.charAt(i)));
      }
    }
  }

  /** Returns the key {@code value} inside {@code scope}. */
  public static OperationKey of(Scope scope, String value) {
    return new OperationKey(scope, value);
  }

  /**
   * Returns the identity of this key as bytes: every part of the scope and the value, each with its
   * length. Equal keys have equal bytes, different keys different ones, on every machine and in
   * every release.
   */
  public byte[] toBytes() {
    byte[][] parts = new byte[scope.parts().size() + 1][];
    for (int i = 0; i < scope.parts().size(); i++) {
      parts[i] = LengthPrefixed.utf8(scope.parts().get(i));
    }
    parts[parts.length - 1] = LengthPrefixed.utf8(value);
    return LengthPrefixed.join(parts);
  }

  /**
   * Returns the key that {@link #toBytes()} made {@code bytes} of.
   *
   * @throws IllegalArgumentException if they are not a key
   */
  public static OperationKey ofBytes(byte[] bytes) {
    List<String> parts = new ArrayList<>();
    for (byte[] part : LengthPrefixed.split(bytes)) {
      parts.add(new String(part, StandardCharsets.UTF_8));
    }
    if (parts.size() < 2) {
      throw new IllegalArgumentException("these " + bytes.length + " bytes are not a key");
    }
    int last = parts.size() - 1;
    return new OperationKey(new Scope(parts.subList(0, last)), parts.get(last));
  }

  /** Returns the SHA-256 digest of {@link #toBytes()}: a name of fixed length for stores. */
  public byte[] digest() {
    return LengthPrefixed.sha256(toBytes());
  }

  /**
   * Names the scope and the beginning of the key's digest; the key itself is the caller's and stays
   * out of logs.
   */
  @Override
  public String toString() {
    return scope + " #" + HexFormat.of().formatHex(digest(), 0, 6);
  }

  private static String stripped(String value) {
    int from = 0;
    int to = value.length();
    while (from < to && isBlank(value.charAt(from))) {
      from++;
    }
    while (to > from && isBlank(value.charAt(to - 1))) {
      to--;
    }
    return value.substring(from, to);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
