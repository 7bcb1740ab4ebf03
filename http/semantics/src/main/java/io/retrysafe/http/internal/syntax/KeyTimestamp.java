// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** When a key was made, by those that say so themselves: UUIDs of version 7 and ULIDs. */
public final class KeyTimestamp {
  /** A UUID of any version, 36 characters with hyphens. */
  public static final Pattern UUID =
      Pattern.compile(
          "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");

  /** A ULID, 26 characters. */
  public static final Pattern ULID = Pattern.compile("[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}");

  private static final String BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  private KeyTimestamp() {}

  public static Optional<Instant> of(String key) {
    if (UUID.matcher(key).matches()) {
      boolean isTimed = key.charAt(14) == '7' && "89abAB".indexOf(key.charAt(19)) >= 0;
      String hex = key.substring(0, 8) + key.substring(9, 13);
      return isTimed
          ? Optional.of(Instant.ofEpochMilli(Long.parseLong(hex, 16)))
          : Optional.empty();
    }
    if (ULID.matcher(key).matches()) {
      long millis = 0;
      for (char c : key.substring(0, 10).toUpperCase(Locale.ROOT).toCharArray()) {
        millis = millis * 32 + BASE32.indexOf(c);
      }
      return Optional.of(Instant.ofEpochMilli(millis));
    }
    return Optional.empty();
  }
}
