// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.Outcome;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the model of a store holds for one key. Immutable; time is in whole hours, which only the
 * fixture moves.
 *
 * @param live the entry, null where the key is absent
 * @param fence the last grant's number, or a lower bound of it
 * @param isFenceKnown whether it is that number; otherwise the number is greater
 * @param endedBy whose release or word made the key absent, null where time did
 * @param isEndRemembered whether the store must still know that; later it may have been swept
 */
record KeyState(
    @Nullable Live live,
    long fence,
    boolean isFenceKnown,
    @Nullable Token endedBy,
    boolean isEndRemembered) {

  static final KeyState ABSENT = new KeyState(null, Long.MIN_VALUE, true, null, false);

  /** When a call happens, and how many hours unsettled entries live past their lease. */
  record Moment(int hour, int unsettled) {}

  /** An entry. */
  record Live(
      Phase phase,
      Token token,
      Fingerprint fingerprint,
      int attempt,
      PreviousPhase previous,
      int createdAt,
      int leaseUntil,
      int expiresAt,
      Map<String, Bytes> steps,
      Optional<Outcome> outcome) {
    private static final Duration ROUNDING = Duration.ofMinutes(30);

    static Live first(Token token, Fingerprint fingerprint, int lease, Moment at) {
      return new Live(
          Phase.RUNNING,
          token,
          fingerprint,
          1,
          PreviousPhase.ABSENT,
          at.hour,
          at.hour + lease,
          at.hour + lease + at.unsettled,
          Map.of(),
          Optional.empty());
    }

    Live leased(Token by, int attempts, PreviousPhase was, int lease, Moment at) {
      int until = at.hour + lease;
      return new Live(
          Phase.RUNNING,
          by,
          fingerprint,
          attempts,
          was,
          createdAt,
          until,
          until + at.unsettled,
          steps,
          outcome);
    }

    Live left(Phase as, Token by, Moment at) {
      int until = at.hour + at.unsettled;
      return ended(as, by, until, at, outcome);
    }

    Live settled(Token by, Outcome answer, int retention, Moment at) {
      return ended(Phase.SETTLED, by, at.hour + retention, at, Optional.of(answer));
    }

    private Live ended(Phase as, Token by, int until, Moment at, Optional<Outcome> answer) {
      int lease = Math.min(leaseUntil, at.hour);
      return new Live(
          as, by, fingerprint, attempt, previous, createdAt, lease, until, steps, answer);
    }

    Live with(String step, Bytes result) {
      Map<String, Bytes> more = new HashMap<>(steps);
      more.putIfAbsent(step, result);
      return new Live(
          phase,
          token,
          fingerprint,
          attempt,
          previous,
          createdAt,
          leaseUntil,
          expiresAt,
          Map.copyOf(more),
          outcome);
    }

    boolean isSettled() {
      return phase == Phase.SETTLED;
    }

    boolean isLeased(Moment at) {
      return phase == Phase.RUNNING && leaseUntil > at.hour;
    }

    boolean isLapsed(Moment at) {
      return phase == Phase.UNKNOWN || (phase == Phase.RUNNING && leaseUntil <= at.hour);
    }

    boolean isShownBy(Entry entry, Moment at) {
      Entry.Times times = entry.times();
      return entry.phase() == phase
          && entry.token().equals(token)
          && entry.fingerprint().equals(fingerprint)
          && entry.attempt() == attempt
          && entry.outcome().equals(outcome)
          && isAt(times.createdAt(), times.readAt(), createdAt - at.hour)
          && isAt(times.expiresAt(), times.readAt(), expiresAt - at.hour)
          && (phase == Phase.RUNNING
              ? isAt(times.leaseUntil(), times.readAt(), leaseUntil - at.hour)
              : !times.leaseUntil().isAfter(times.readAt()));
    }

    private static boolean isAt(Instant time, Instant now, int hours) {
      Duration off = Duration.between(now.plus(Duration.ofHours(hours)), time).abs();
      return off.compareTo(ROUNDING) < 0;
    }
  }

  /** Returns this state when time has moved on to {@code at}. */
  KeyState at(Moment at) {
    if (live != null && live.expiresAt <= at.hour) {
      return new KeyState(null, fence, isFenceKnown, null, false);
    }
    return this;
  }

  /**
   * Returns this state once enough time has passed that a sweep may have forgotten who ended it.
   */
  KeyState later() {
    return new KeyState(live, fence, isFenceKnown, endedBy, false);
  }

  KeyState with(Live next) {
    return new KeyState(next, fence, isFenceKnown, null, false);
  }

  /** Returns the state after a new grant, whose fence is not known yet. */
  KeyState granted(Live next) {
    return new KeyState(next, fence, false, null, false);
  }

  KeyState ended(Token by) {
    return new KeyState(null, fence, isFenceKnown, by, true);
  }

  KeyState withFence(long seen) {
    return new KeyState(live, seen, true, endedBy, isEndRemembered);
  }

  boolean hasFence(long seen) {
    return isFenceKnown ? seen == fence : seen > fence;
  }
}
