// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A named bearer token of the admin API. The audit shows the name; the configuration holds only the
 * token's digest.
 *
 * @param name the actor that the audit shows, 1 to 100 characters
 * @param role what it may do
 * @param sha256 the SHA-256 of the token's UTF-8, 64 hexadecimal digits
 * @param expires when it stops working; null for never
 */
public record AdminToken(String name, Role role, String sha256, @Nullable Instant expires) {

  /** What a token may do. */
  public enum Role {
    /** May read. */
    VIEWER,
    /** May do everything. */
    OPERATOR
  }

  public AdminToken {
    if (name.isBlank() || name.length() > 100 || name.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "the name of a token must have 1 to 100 characters on one line, had " + name.length());
    }
    sha256 = sha256.toLowerCase(Locale.ROOT);
    if (!sha256.matches("[0-9a-f]{64}")) {
      throw new IllegalArgumentException(
          "sha256 of the token " + name + " must be 64 hexadecimal digits, had " + sha256.length());
    }
  }

  boolean isExpired(Instant now) {
    return expires != null && !now.isBefore(expires);
  }

  /** Returns whether {@code token} is this one, in constant time. */
  boolean matches(String token) {
    return MessageDigest.isEqual(digest(token), HexFormat.of().parseHex(sha256));
  }

  private static byte[] digest(String token) {
    try {
      byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** Hides the digest. */
  @Override
  public String toString() {
    return name + " (" + role.name().toLowerCase(Locale.ROOT) + ")";
  }
}
