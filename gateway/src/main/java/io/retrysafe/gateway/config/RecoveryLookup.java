// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.retrysafe.internal.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the gateway asks an upstream about an operation whose outcome is unknown. A 2xx is the
 * operation's answer, 404 means that it never ran and may run now, any other status leaves it
 * parked.
 *
 * @param path the path for the GET request, such as {@code /payments/by-key/{key}}; {@code {key}}
 *     is the key that the upstream got
 * @param after how long the gateway waits after the outcome became unknown, because a slow upstream
 *     may still be working; null for {@link Limits#lateWithin}
 */
public record RecoveryLookup(String path, @Nullable Duration after) {
  /** The placeholder for the key. */
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
   * Returns how long the gateway waits before it asks. By default it waits until it no longer
   * accepts a late answer to the first request.
   */
  public Duration after(Limits limits) {
    return after == null ? limits.lateWithin() : after;
  }

  /** Reads {@code GET /payments/by-key/{key}}, as written in files. */
  public static RecoveryLookup parse(String lookup, @Nullable Duration after) {
    String[] words = lookup.strip().split("\\s+", -1);
    if (words.length != 2 || !words[0].equals("GET")) {
      throw new IllegalArgumentException(
          "a lookup is GET and a path, such as GET /payments/by-key/{key}, was \"" + lookup + '"');
    }
    return new RecoveryLookup(words[1], after);
  }
}
