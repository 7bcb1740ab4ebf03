// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.memory;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Release;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A row of the memory store, immutable: each step of the contract makes the next one. Times in
 * microseconds.
 */
record MemoryRow(
    Token token,
    Fingerprint fingerprint,
    int attempt,
    long fence,
    RowPhase phase,
    PreviousPhase previous,
    long createdAt,
    long leaseUntil,
    long expiresAt,
    Map<String, Bytes> steps,
    @Nullable Outcome outcome) {

  /** How long a freed row is remembered, so that a repeated release is true. */
  private static final long FREED_FOR = 10_000_000;

  boolean isAbsent(long now) {
    return phase == RowPhase.FREED || expiresAt <= now;
  }

  /**
   * Returns whether the row can be removed without a visible change: a later fence is greater
   * anyway.
   */
  boolean isSweepable(long now) {
    return expiresAt <= now && fence < now;
  }

  /** Returns how many bytes its steps and its outcome have. */
  long size() {
    long size = outcome == null ? 0 : OutcomeFormat.write(outcome).length;
    for (Map.Entry<String, Bytes> step : steps.entrySet()) {
      size += Bytes.utf8(step.getKey()).size() + (long) step.getValue().size();
    }
    return size;
  }

  boolean isFreedBy(Token by) {
    return phase == RowPhase.FREED && token.equals(by);
  }

  boolean isUnsettled(long now) {
    return phase != RowPhase.SETTLED && !isAbsent(now);
  }

  boolean isOwnedBy(Owner owner) {
    return token.equals(owner.token());
  }

  private boolean isLapsed(long now) {
    return phase == RowPhase.UNKNOWN || (phase == RowPhase.RUNNING && leaseUntil <= now);
  }

  static MemoryRow first(Claim claim, @Nullable MemoryRow before, long now, long unsettled) {
    long lease = micros(claim.lease());
    return new MemoryRow(
        claim.token(),
        claim.fingerprint(),
        1,
        before == null ? now : Math.max(before.fence + 1, now),
        RowPhase.RUNNING,
        PreviousPhase.ABSENT,
        now,
        after(now, lease),
        after(after(now, lease), unsettled),
        Map.of(),
        null);
  }

  /** Returns the row after {@code claim}, or null if this row, which is present, holds it off. */
  @Nullable MemoryRow claimed(Claim claim, long now, long unsettled) {
    if (!fingerprint.equals(claim.fingerprint())) {
      return null;
    }
    if (phase == RowPhase.RUNNING && token.equals(claim.token())) {
      return leased(claim.token(), attempt, fence, previous, now, micros(claim.lease()), unsettled);
    }
    if (token.equals(claim.token())) {
      return null;
    }
    boolean lapsed = isLapsed(now);
    Duration age = Duration.of(now - createdAt, ChronoUnit.MICROS);
    if (phase == RowPhase.RESUMABLE || (lapsed && claim.takeOver().allows(attempt, age))) {
      PreviousPhase was = lapsed ? PreviousPhase.UNKNOWN : PreviousPhase.RESUMABLE;
      long next = Math.max(fence + 1, now);
      return leased(claim.token(), attempt + 1, next, was, now, micros(claim.lease()), unsettled);
    }
    return null;
  }

  MemoryRow renewed(Duration lease, long now, long unsettled) {
    return leased(token, attempt, fence, previous, now, micros(lease), unsettled);
  }

  MemoryRow settled(Token by, Outcome answer, Duration retention, long now) {
    return ended(by, RowPhase.SETTLED, now, after(now, micros(retention)), steps, answer);
  }

  MemoryRow released(Release how, long now, long unsettled) {
    RowPhase next =
        switch (how) {
          case RESUMABLE -> RowPhase.RESUMABLE;
          case UNKNOWN -> RowPhase.UNKNOWN;
          case FREE -> undone();
        };
    return next == RowPhase.FREED
        ? freed(token, now)
        : ended(token, next, now, after(now, unsettled), steps, null);
  }

  private RowPhase undone() {
    return switch (previous) {
      case ABSENT -> steps.isEmpty() ? RowPhase.FREED : RowPhase.RESUMABLE;
      case RESUMABLE -> RowPhase.RESUMABLE;
      case UNKNOWN -> RowPhase.UNKNOWN;
    };
  }

  MemoryRow freed(Token by, long now) {
    return ended(by, RowPhase.FREED, now, now + FREED_FOR, Map.of(), null);
  }

  MemoryRow resumable(Token by, long now, long unsettled) {
    return ended(by, RowPhase.RESUMABLE, now, after(now, unsettled), steps, null);
  }

  MemoryRow with(String step, Bytes result) {
    Map<String, Bytes> more = new LinkedHashMap<>(steps);
    more.putIfAbsent(step, result);
    return new MemoryRow(
        token,
        fingerprint,
        attempt,
        fence,
        phase,
        previous,
        createdAt,
        leaseUntil,
        expiresAt,
        more,
        outcome);
  }

  ClaimResult.Granted granted() {
    return new ClaimResult.Granted(attempt, fence, previous, steps);
  }

  Entry entry(OperationKey key, long now) {
    Entry.Times times =
        new Entry.Times(instant(createdAt), instant(leaseUntil), instant(expiresAt), instant(now));
    return new Entry(
        key,
        token,
        fingerprint,
        attempt,
        fence,
        contractPhase(),
        times,
        Optional.ofNullable(outcome));
  }

  private Phase contractPhase() {
    return switch (phase) {
      case RUNNING -> Phase.RUNNING;
      case RESUMABLE -> Phase.RESUMABLE;
      case UNKNOWN -> Phase.UNKNOWN;
      case SETTLED -> Phase.SETTLED;
      case FREED -> throw new IllegalStateException("a freed row is absent");
    };
  }

  private MemoryRow leased(
      Token by,
      int attempts,
      long number,
      PreviousPhase was,
      long now,
      long lease,
      long unsettled) {
    return new MemoryRow(
        by,
        fingerprint,
        attempts,
        number,
        RowPhase.RUNNING,
        was,
        createdAt,
        after(now, lease),
        after(after(now, lease), unsettled),
        steps,
        null);
  }

  private MemoryRow ended(
      Token by,
      RowPhase next,
      long now,
      long until,
      Map<String, Bytes> remembered,
      @Nullable Outcome answer) {
    return new MemoryRow(
        by,
        fingerprint,
        attempt,
        fence,
        next,
        previous,
        createdAt,
        Math.min(leaseUntil, now),
        until,
        remembered,
        answer);
  }

  /** Adds a duration to a moment; one that is too long for the clock never ends. */
  private static long after(long moment, long micros) {
    long sum = moment + micros;
    return sum < moment ? Long.MAX_VALUE : sum;
  }

  static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(duration);
  }

  static long micros(Instant instant) {
    return instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1_000;
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
