// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A row of the flawed store, as plain as can be. */
final class FlawedRow {
  final OperationKey key;
  final Instant createdAt;
  Fingerprint fingerprint;
  Token token;
  int attempt = 1;
  long fence;
  Phase phase = Phase.RUNNING;
  boolean isFreed;
  PreviousPhase previous = PreviousPhase.ABSENT;
  Instant leaseUntil;
  Instant expiresAt;
  Map<String, Bytes> steps = new HashMap<>();
  Optional<Outcome> outcome = Optional.empty();
  boolean isDamaged;

  FlawedRow(Claim claim, Instant now, long fence, Duration unsettled) {
    this.key = claim.key();
    this.createdAt = now;
    this.fingerprint = claim.fingerprint();
    this.token = claim.token();
    this.fence = fence;
    this.leaseUntil = after(now, claim.lease());
    this.expiresAt = after(leaseUntil, unsettled);
  }

  /** Returns a copy, for a store that changes one while others change the original. */
  FlawedRow copy() {
    Claim claim = new Claim(key, fingerprint, token, Duration.ofHours(1), TakeOver.NONE);
    FlawedRow copy = new FlawedRow(claim, createdAt, fence, Duration.ZERO);
    copy.attempt = attempt;
    copy.phase = phase;
    copy.isFreed = isFreed;
    copy.previous = previous;
    copy.leaseUntil = leaseUntil;
    copy.expiresAt = expiresAt;
    copy.steps = new HashMap<>(steps);
    copy.outcome = outcome;
    return copy;
  }

  /** What is too long for the clock ends in ten thousand years. */
  static Instant after(Instant moment, Duration duration) {
    Duration longest = Duration.ofDays(3_652_500);
    return moment.plus(duration.compareTo(longest) > 0 ? longest : duration);
  }

  boolean isAbsent(Instant now) {
    return isFreed || !expiresAt.isAfter(now);
  }

  boolean isLapsed(Instant now) {
    return phase == Phase.UNKNOWN || (phase == Phase.RUNNING && !leaseUntil.isAfter(now));
  }

  void leave(Phase as, Instant now, Duration unsettled) {
    phase = as;
    leaseUntil = leaseUntil.isBefore(now) ? leaseUntil : now;
    expiresAt = after(now, unsettled);
  }

  void free(Instant now) {
    isFreed = true;
    steps = new HashMap<>();
    expiresAt = now.plusSeconds(60);
  }

  Granted granted() {
    return new Granted(attempt, fence, previous, steps);
  }

  Entry entry(Instant now) {
    Entry.Times times = new Entry.Times(createdAt, leaseUntil, expiresAt, now);
    return new Entry(key, token, fingerprint, attempt, fence, phase, times, outcome);
  }
}
