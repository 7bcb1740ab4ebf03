// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Sweepable;
import java.time.Duration;

/** Removes what expired, in small batches, for stores that do not do it themselves. */
final class Sweeper {
  private static final int BATCH = 500;

  /** How many times as long as a batch took it rests, so that claims keep most of the store. */
  private static final int REST = 2;

  private final Sweepable store;
  private final Seam seam;
  private final Events events;
  private final Duration every;

  Sweeper(Sweepable store, Seam seam, Events events, Duration every) {
    this.store = store;
    this.seam = seam;
    this.events = events;
    this.every = every;
  }

  void start() {
    seam.after(Pauses.spread(every, seam), this::sweep);
  }

  /** However much expired at once, it goes on until little is left: it must keep up with claims. */
  private void sweep() {
    Duration next = Pauses.spread(every, seam);
    try {
      long begun = seam.nanos();
      if (sweepBatch() == BATCH) {
        next = Duration.ofNanos(REST * (seam.nanos() - begun));
      }
    } catch (RuntimeException e) {
      // What is left is absent already and is removed next time.
      System.getLogger("io.retrysafe").log(System.Logger.Level.WARNING, "sweeping failed", e);
    } finally {
      seam.after(next, this::sweep);
    }
  }

  private int sweepBatch() {
    Sweepable.Swept swept = store.sweep(BATCH);
    swept
        .unsettled()
        .forEach(entry -> events.emit(Event.Kind.EXPIRED_UNSETTLED, entry.key(), entry.attempt()));
    return swept.removed();
  }
}
