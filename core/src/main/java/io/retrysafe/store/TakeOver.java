// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import java.time.Duration;

/**
 * Which lapsed entries a claim may take over. A resumable entry may always be taken over.
 *
 * @param attempts how many attempts an entry may have in all: it is taken over only while it has
 *     had fewer
 * @param within how long after its first claim an entry may still be taken over, on the store's
 *     clock
 */
public record TakeOver(int attempts, Duration within) {
  /** Lapsed entries stay as they are. */
  public static final TakeOver NONE = new TakeOver(0, Duration.ZERO);

  /** Every lapsed entry may be taken over. */
  public static final TakeOver ALWAYS = new TakeOver(Integer.MAX_VALUE, Duration.ofDays(36_500));

  public TakeOver {
    if (attempts < 0 || within.isNegative()) {
      throw new IllegalArgumentException(
          "takeover bounds must not be negative, were " + attempts + " attempts within " + within);
    }
  }

  /**
   * Returns whether an entry of this many attempts and this age may be taken over once its lease
   * lapsed.
   */
  public boolean allows(int attempt, Duration age) {
    return attempt < attempts && age.compareTo(within) <= 0;
  }
}
