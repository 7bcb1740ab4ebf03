// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.internal.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How an upstream is asked what became of an operation whose outcome is unknown: 2xx is its answer,
 * 404 means that it never happened and is run, anything else leaves it parked.
 *
 * @param path the path that is asked with GET, such as {@code /payments/by-key/{key}}; {@code
 *     {key}} is the key that the upstream got
 * @param after how long after the outcome became unknown it is asked at the earliest: until then an
 *     upstream that is only slow may still do what it was sent; null for {@link Limits#lateWithin}
 */
public record RecoveryLookup(String path, @Nullable Duration after) {
  /** Where the key goes. */
  public static final String KEY = "{key}";

  public RecoveryLookup {
    if (!path.startsWith("/") || !path.contains(KEY)) {
      throw new IllegalArgumentException(
          "a lookup is a path that contains {key}, such as /payments/by-key/{key}, was " + path);
    }
    if (after != null && (after.isNegative() || after.isZero())) {
      throw new IllegalArgumentException("after must be positive, was " + DurationText.text(after));
    }
  }

  /**
   * Returns how long nobody asks: unless it is set, for longer than the gateway keeps the first
   * request open, whose late answer would settle the operation.
   */
  public Duration after(Limits limits) {
    return after == null ? limits.lateWithin() : after;
  }

  /** Reads {@code GET /payments/by-key/{key}}, as files hold it. */
  public static RecoveryLookup parse(String lookup, @Nullable Duration after) {
    String[] words = lookup.strip().split("\\s+", -1);
    if (words.length != 2 || !words[0].equals("GET")) {
      throw new IllegalArgumentException(
          "a lookup is GET and a path, such as GET /payments/by-key/{key}, was \"" + lookup + '"');
    }
    return new RecoveryLookup(words[1], after);
  }
}
