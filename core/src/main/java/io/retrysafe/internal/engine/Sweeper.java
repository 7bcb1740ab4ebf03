// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Event;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.Sweepable;
import java.time.Duration;

/** Removes what expired, in small batches, for stores that do not do it themselves. */
final class Sweeper {
  private static final int BATCH = 500;

  /** How many times as long as a batch took it rests, so that claims keep most of the store. */
  private static final long REST = 2;

  private final Sweepable store;
  private final EngineRuntime runtime;
  private final StoreRetries retries;
  private final Events events;
  private final Duration every;

  /** Whether the last sweep failed, which is logged once. */
  private boolean isFailing;

  /** For how long there has been more to remove than a batch, in nanoseconds. */
  private long behind;

  Sweeper(Sweepable store, StoreRetries retries, Events events, Duration every) {
    this.store = store;
    this.runtime = retries.runtime();
    this.retries = retries;
    this.events = events;
    this.every = every;
  }

  void start() {
    runtime.after(Pauses.spread(every, runtime), this::sweep);
  }

  /**
   * However much expired at once, it goes on until little is left: it must keep up with claims. The
   * longer it does not, the less it rests, else a busy store would grow without end.
   */
  private void sweep() {
    Duration next = Pauses.spread(every, runtime);
    try {
      long begun = runtime.nanos();
      if (sweepBatch() == BATCH) {
        next = rest(runtime.nanos() - begun);
      } else {
        behind = 0;
      }
      isFailing = false;
    } catch (StoreException e) {
      // What is left is absent already and is removed next time; the outage is reported.
    } catch (Throwable e) {
      if (!isFailing) {
        isFailing = true;
        System.getLogger("io.retrysafe").log(System.Logger.Level.WARNING, "sweeping failed", e);
      }
    } finally {
      runtime.after(next, this::sweep);
    }
  }

  /**
   * Half as long after every period in which it did not catch up, down to a quarter of its work.
   */
  private Duration rest(long worked) {
    long periods = Math.min(behind / every.toNanos(), Long.SIZE - 1);
    long rest = Math.max((worked * REST) >> periods, worked / 4);
    behind += worked + rest;
    return Duration.ofNanos(rest);
  }

  private int sweepBatch() {
    Sweepable.Swept swept = retries.once(() -> store.sweep(BATCH));
    swept
        .unsettled()
        .forEach(entry -> events.emit(Event.Kind.EXPIRED_UNSETTLED, entry.key(), entry.attempt()));
    return swept.removed();
  }
}
