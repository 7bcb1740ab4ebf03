// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.time.Duration;

/**
 * How an upstream is asked what became of an operation whose outcome is unknown: 2xx is its answer,
 * 404 means that it never happened and is run, anything else leaves it parked.
 *
 * @param path the path that is asked with GET, such as {@code /payments/by-key/{key}}; {@code
 *     {key}} is the key that the upstream got
 * @param after how long after the outcome became unknown it is asked at the earliest: until then an
 *     upstream that is only slow may still do what it was sent
 */
public record RecoveryLookup(String path, Duration after) {
  /** Where the key goes. */
  public static final String KEY = "{key}";

  /** How long nobody asks unless a route says otherwise: 30 s. */
  public static final Duration DEFAULT_AFTER = Duration.ofSeconds(30);

  public RecoveryLookup {
    if (!path.startsWith("/") || !path.contains(KEY)) {
      throw new IllegalArgumentException(
          "a lookup is a path that contains {key}, such as /payments/by-key/{key}, was " + path);
    }
    if (after.isNegative() || after.isZero()) {
      throw new IllegalArgumentException("after must be positive, was " + after);
    }
  }

  /** Reads {@code GET /payments/by-key/{key}}, as files hold it. */
  public static RecoveryLookup parse(String lookup, Duration after) {
    String[] words = lookup.strip().split("\\s+", -1);
    if (words.length != 2 || !words[0].equals("GET")) {
      throw new IllegalArgumentException(
          "a lookup is GET and a path, such as GET /payments/by-key/{key}, was \"" + lookup + '"');
    }
    return new RecoveryLookup(words[1], after);
  }
}
