// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import java.util.UUID;

/**
 * What an owner proves its claim with: 128 random bits, made by the caller, new for every claim.
 */
public record Token(long high, long low) {

  /**
   * Returns the 128 bits as a UUID, for stores that have such a type; its version bits mean
   * nothing.
   */
  public UUID toUuid() {
    return new UUID(high, low);
  }

  /** Returns the token that {@link #toUuid()} made {@code uuid} of. */
  public static Token of(UUID uuid) {
    return new Token(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
  }

  /** Returns the beginning of the token, enough to tell owners apart in a log. */
  @Override
  public String toString() {
    return "%08x…".formatted(high >>> 32);
  }
}
