// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.internal.DurationText;
import java.time.Duration;

/**
 * A request for the right to run an operation.
 *
 * @param key the operation
 * @param fingerprint what its request looked like
 * @param token what the owner will prove itself with; asking again with the same token is the same
 *     claim
 * @param lease how long the claim stands without being renewed
 * @param takeOver which lapsed entries it may take over
 */
public record Claim(
    OperationKey key, Fingerprint fingerprint, Token token, Duration lease, TakeOver takeOver) {

  public Claim {
    if (lease.isNegative() || lease.isZero()) {
      throw new IllegalArgumentException("lease must be positive, was " + DurationText.text(lease));
    }
  }

  /** Returns the owner that this claim makes when it is granted. */
  public Owner owner() {
    return new Owner(key, token);
  }

  /**
   * Returns whether a store has to grant this claim over {@code entry}. A store that decides and
   * reads in two steps calls it before it answers "held": if true, the entry changed in between,
   * and the store claims again. A token that was released is not granted: its claim arrives late.
   */
  public boolean isGrantedOver(Entry entry) {
    if (!entry.times().expiresAt().isAfter(entry.times().readAt())) {
      return true;
    }
    if (!entry.fingerprint().equals(fingerprint)) {
      return false;
    }
    boolean isOwn = entry.token().equals(token);
    return switch (entry.phase()) {
      case RUNNING -> isOwn || (entry.isLapsed() && takeOver.allows(entry.attempt(), entry.age()));
      case UNKNOWN -> !isOwn && takeOver.allows(entry.attempt(), entry.age());
      case RESUMABLE -> !isOwn;
      case SETTLED -> false;
    };
  }
}
