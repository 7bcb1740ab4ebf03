// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.RefusedCallException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Knows whether the store answers and accepts writes, and reports the beginning and the end of an
 * outage once each, however many calls fail in between.
 *
 * <p>An outage begins when calls have failed for half of the store deadline and none was answered
 * meanwhile: a call that waits for somebody's lock while others are answered is none.
 */
final class StoreHealth {
  private static final long RECENTLY = Duration.ofMillis(20).toNanos();

  private final Seam seam;
  private final Events events;
  private final long patience;
  private final long latePatience;
  private final Streak answers;
  private final Streak writes;
  private volatile Runnable back = () -> {};

  StoreHealth(Seam seam, Events events, String store, Duration storeDeadline) {
    this.seam = seam;
    this.events = events;
    this.patience = storeDeadline.toNanos() / 2;
    this.latePatience = storeDeadline.toNanos() * 5 / 4;
    this.answers = new Streak(store + " does not answer", store + " answers again");
    this.writes = new Streak(store + " refuses writes", store + " accepts writes again");
  }

  /** Runs {@code back} whenever an outage is over. */
  void onBack(Runnable back) {
    this.back = back;
  }

  void answered(Object answer) {
    answers.worked();
    if (answer instanceof ClaimResult.Granted || Boolean.TRUE.equals(answer)) {
      writes.worked();
    }
  }

  /**
   * Takes note of a call that failed.
   *
   * @param begun when the call began
   */
  void failed(long begun, Throwable cause) {
    if (cause instanceof RefusedCallException) {
      answers.worked();
      writes.failed(begun, cause, patience);
    } else {
      answers.failed(begun, cause, patience);
    }
  }

  /**
   * Takes note of a call that the engine gave up at its deadline. The store itself soon says more
   * about the cause, if it says anything.
   */
  void late(long begun, Throwable cause) {
    answers.failed(begun, cause, latePatience);
  }

  /** What of the store works, or has not for a while. */
  private final class Streak {
    private final String lost;
    private final String regained;
    private final AtomicBoolean isOut = new AtomicBoolean();
    private volatile long lastWorked = seam.nanos();
    private volatile long failingSince;
    private volatile boolean isFailing;

    Streak(String lost, String regained) {
      this.lost = lost;
      this.regained = regained;
    }

    void worked() {
      long now = seam.nanos();
      // Written seldom: all callers read it.
      if (now - lastWorked > RECENTLY || isFailing) {
        lastWorked = now;
        isFailing = false;
      }
      if (isOut.get() && isOut.compareAndSet(true, false)) {
        events.outageEnded(regained, Duration.ofNanos(now - failingSince));
        back.run();
      }
    }

    void failed(long begun, Throwable cause, long patience) {
      long now = seam.nanos();
      if (!isFailing) {
        // If others were answered meanwhile, the failures begin only now.
        failingSince = lastWorked - begun > 0 ? now : begun;
        isFailing = true;
      }
      if (now - failingSince >= patience && !isOut.get() && isOut.compareAndSet(false, true)) {
        events.outageBegan(lost, cause);
      }
    }
  }
}
