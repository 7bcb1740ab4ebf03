// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.internal.DurationChecks;
import java.time.Duration;

/** How an operation continues after its lease lapsed or its outcome became unknown. */
public sealed interface Recovery {

  /**
   * The operation is not run again: callers get "outcome unknown" until an operator resolves it.
   */
  record Park() implements Recovery {}

  /**
   * A retry runs it again. Only right where the effect is idempotent under the {@linkplain
   * Operation#downstreamKey derived key}, or is undone by the crash.
   *
   * @param attempts how many attempts there may be in all, at least 2
   * @param within how long after its first claim it may be run again
   */
  record Rerun(int attempts, Duration within) implements Recovery {
    public Rerun {
      if (attempts < 2) {
        throw new IllegalArgumentException(
            "rerun needs at least 2 attempts, was " + attempts + "; use Recovery.park() for one");
      }
      DurationChecks.positive("rerunWithin", within);
    }
  }

  /**
   * A retry first asks whether the effect happened; then the operation is completed, rerun or left
   * parked.
   *
   * @param after how long after the outcome became unknown it is asked at the earliest, on the
   *     store's clock; until then the operation is parked
   */
  record Reconcile(Lookup lookup, Duration after) implements Recovery {
    public Reconcile {
      if (after.isNegative()) {
        throw new IllegalArgumentException("after must not be negative, was " + after);
      }
    }
  }

  /** Returns the recovery that never runs an operation twice. */
  static Recovery park() {
    return new Park();
  }

  /**
   * Returns the recovery that runs again within an hour of the first claim, five attempts in all.
   */
  static Recovery rerun() {
    return new Rerun(5, Duration.ofHours(1));
  }

  /** Returns the recovery that runs again within these bounds, both checked by the store. */
  static Recovery rerun(int attempts, Duration within) {
    return new Rerun(attempts, within);
  }

  /** Returns the recovery that asks {@code lookup} first. */
  static Recovery reconcile(Lookup lookup) {
    return new Reconcile(lookup, Duration.ZERO);
  }

  /**
   * Returns the recovery that asks {@code lookup}, but not before the outcome has been unknown for
   * {@code after}: the interrupted attempt may still be running, and "not there" would not mean
   * "never".
   */
  static Recovery reconcile(Lookup lookup, Duration after) {
    return new Reconcile(lookup, after);
  }
}
