// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bearer tokens of the admin API. Without a token the API refuses every request.
 *
 * @param admin the token of operators, whose requests name the actor
 * @param viewer the token of viewers, who may only read
 * @param named further tokens, each with a name
 */
public record Tokens(@Nullable String admin, @Nullable String viewer, List<AdminToken> named) {
  /** No tokens. */
  public static final Tokens NONE = new Tokens(null, null);

  private static final int SHORTEST = 16;

  public Tokens {
    named = List.copyOf(named);
    check("admin-token", admin);
    check("viewer-token", viewer);
    if (admin != null && admin.equals(viewer)) {
      throw new IllegalArgumentException(
          "viewer-token must differ from admin-token: otherwise viewers could change things");
    }
    Set<String> names = new HashSet<>();
    Set<String> digests = new HashSet<>();
    for (AdminToken token : named) {
      if (!names.add(token.name())) {
        throw new IllegalArgumentException("there are two tokens with the name " + token.name());
      }
      if (!digests.add(token.sha256())) {
        throw new IllegalArgumentException("the token " + token.name() + " is listed twice");
      }
    }
  }

  /** The tokens of operators and viewers. */
  public Tokens(@Nullable String admin, @Nullable String viewer) {
    this(admin, viewer, List.of());
  }

  /** Returns two random tokens. */
  public static Tokens random() {
    SecureRandom random = new SecureRandom();
    return new Tokens(random(random), random(random));
  }

  private static String random(SecureRandom random) {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  private static void check(String name, @Nullable String token) {
    if (token != null && token.length() < SHORTEST) {
      throw new IllegalArgumentException(
          name + " needs at least " + SHORTEST + " characters, had " + token.length());
    }
  }

  /** Returns whether there is no token, so that the admin API refuses every request. */
  public boolean isEmpty() {
    return admin == null && viewer == null && named.isEmpty();
  }

  /** Returns the caller that a token authenticates; null if it is unknown or has expired. */
  public @Nullable Caller caller(String token, Instant now) {
    if (isSame(token, admin)) {
      return new Caller(AdminToken.Role.OPERATOR, null);
    }
    if (isSame(token, viewer)) {
      return new Caller(AdminToken.Role.VIEWER, null);
    }
    for (AdminToken each : named) {
      if (each.matches(token) && !each.isExpired(now)) {
        return new Caller(each.role(), each.name());
      }
    }
    return null;
  }

  private static boolean isSame(String token, @Nullable String expected) {
    return expected != null && MessageDigest.isEqual(utf8(token), utf8(expected));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Who calls the admin API.
   *
   * @param name the actor that the audit shows; null for the tokens without a name
   */
  public record Caller(AdminToken.Role role, @Nullable String name) {}

  /** Shows which tokens are set and hides their values. */
  @Override
  public String toString() {
    return "Tokens[admin " + (admin != null) + ", viewer " + (viewer != null) + ", " + named + "]";
  }
}
