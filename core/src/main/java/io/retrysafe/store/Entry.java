// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What a store holds for a key, as it was at one moment.
 *
 * @param key the operation
 * @param token the token of the last claim that was granted
 * @param fingerprint the fingerprint of the first claim
 * @param attempt how many claims were granted since the entry began
 * @param fence the last grant's number, which only grows for a key
 * @param phase the stored phase
 * @param times the times, all on the store's clock
 * @param outcome what the operation answered; there if and only if the entry is settled
 */
public record Entry(
    OperationKey key,
    Token token,
    Fingerprint fingerprint,
    int attempt,
    long fence,
    Phase phase,
    Times times,
    Optional<Outcome> outcome) {

  /**
   * When things happen to an entry, on the store's clock.
   *
   * @param createdAt when its first claim was granted
   * @param leaseUntil until when its claim stands; where it was released or settled, when that was
   * @param expiresAt when the entry becomes absent
   * @param readAt when the store looked
   */
  public record Times(Instant createdAt, Instant leaseUntil, Instant expiresAt, Instant readAt) {}

  public Entry {
    if (outcome.isPresent() != (phase == Phase.SETTLED)) {
      throw new IllegalArgumentException(
          "an entry has an outcome if and only if it is settled, was " + phase);
    }
  }

  /**
   * Returns whether it is running and its owner let the lease end: it may have crashed, or be slow.
   */
  public boolean isLapsed() {
    return phase == Phase.RUNNING && !times.leaseUntil().isAfter(times.readAt());
  }

  /** Returns how long ago the entry began. */
  public Duration age() {
    return Duration.between(times.createdAt(), times.readAt());
  }

  /** Returns how much of the lease was left, zero where it lapsed. */
  public Duration leaseLeft() {
    Duration left = Duration.between(times.readAt(), times.leaseUntil());
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Returns the state in the words that people see everywhere. */
  public State state() {
    return switch (phase) {
      case RUNNING -> isLapsed() ? State.UNKNOWN : State.IN_PROGRESS;
      case RESUMABLE -> State.RESUMABLE;
      case UNKNOWN -> State.UNKNOWN;
      case SETTLED ->
          outcome.orElseThrow().kind() == Outcome.Kind.FAILED ? State.FAILED : State.COMPLETED;
    };
  }
}
