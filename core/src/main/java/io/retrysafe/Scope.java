// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a key is unique: an account and what it does there, such as {@code merchant_7, POST,
 * /payments}.
 *
 * <p>The server chooses it, never the client's word alone. The parts are ordered and cannot run
 * into each other: {@code ("a", "bc")} and {@code ("ab", "c")} are two scopes.
 *
 * @param parts the account first, then what is done; no part may be empty or hold control
 *     characters, and all of them together take at most 4,096 bytes
 */
public record Scope(List<String> parts) {
  private static final int LARGEST = 4096;

  public Scope {
    parts = List.copyOf(parts);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException(
          "a scope needs an account, such as Scope.of(\"merchant_7\", \"charge\")");
    }
    int bytes = 0;
    for (String part : parts) {
      bytes += checked(part);
    }
    if (bytes > LARGEST) {
      throw new IllegalArgumentException(
          "a scope takes at most " + LARGEST + " bytes, this one has " + bytes);
    }
  }

  /** Returns the scope of an account and what it does, in order. */
  public static Scope of(String account, String... rest) {
    List<String> parts = new ArrayList<>(1 + rest.length);
    parts.add(account);
    parts.addAll(List.of(rest));
    return new Scope(parts);
  }

  /** Returns who asks. */
  public String account() {
    return parts.get(0);
  }

  /** Returns what is done there, for people: the other parts with spaces between them. */
  public String endpoint() {
    return String.join(" ", parts.subList(1, parts.size()));
  }

  @Override
  public String toString() {
    return String.join(" ", parts);
  }

  private static int checked(String part) {
    if (part.isEmpty()) {
      throw new IllegalArgumentException("a part of a scope must not be empty");
    }
    boolean isAscii = true;
    for (int i = 0; i < part.length(); i++) {
      if (Character.isISOControl(part.charAt(i))) {
        throw new IllegalArgumentException("a part of a scope must not contain control characters");
      }
      isAscii &= part.charAt(i) < 0x80;
    }
    if (isAscii) {
      return part.length();
    }
    try {
      return StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(part)).remaining();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "a part of a scope must be well-formed text, without lone surrogates", e);
    }
  }
}
