// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/** When a key was made, by those that say so themselves: UUIDs of version 7 and ULIDs. */
final class KeyTime {
  private static final String BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  private KeyTime() {}

  static Optional<Instant> of(String key) {
    if (KeyFormat.uuid().fits(key)) {
      boolean isTimed = key.charAt(14) == '7' && "89abAB".indexOf(key.charAt(19)) >= 0;
      String hex = key.substring(0, 8) + key.substring(9, 13);
      return isTimed
          ? Optional.of(Instant.ofEpochMilli(Long.parseLong(hex, 16)))
          : Optional.empty();
    }
    if (KeyFormat.ulid().fits(key)) {
      long millis = 0;
      for (char c : key.substring(0, 10).toUpperCase(Locale.ROOT).toCharArray()) {
        millis = millis * 32 + BASE32.indexOf(c);
      }
      return Optional.of(Instant.ofEpochMilli(millis));
    }
    return Optional.empty();
  }
}
