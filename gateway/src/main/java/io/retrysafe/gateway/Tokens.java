// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The bearer tokens of the admin API. Without one its paths cannot be used.
 *
 * @param admin may do everything
 * @param viewer may only look
 */
public record Tokens(@Nullable String admin, @Nullable String viewer) {
  /** No tokens. */
  public static final Tokens NONE = new Tokens(null, null);

  public Tokens {
    check("admin-token", admin);
    check("viewer-token", viewer);
    if (admin != null && admin.equals(viewer)) {
      throw new IllegalArgumentException(
          "viewer-token must not be the admin-token: whoever looks could change things");
    }
  }

  /** Returns two tokens that nobody can guess. */
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
    if (token != null && token.length() < 8) {
      throw new IllegalArgumentException(
          name + " needs at least 8 characters, had " + token.length());
    }
  }

  /** Says which there are, never what they are. */
  @Override
  public String toString() {
    return "Tokens[admin " + (admin != null) + ", viewer " + (viewer != null) + "]";
  }
}
