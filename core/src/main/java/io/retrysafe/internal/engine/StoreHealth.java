// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.RefusedCallException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;

/*
 * Knows whether the store answers and accepts writes. Reports the beginning and the end of an outage once each, however
 * many calls fail in between.
 *
 * Beginning. Calls have failed for half of the store deadline, and none was answered meanwhile. Claims and completions
 * are also watched by themselves: a replica answers every read and no claim, a full store still renews leases. A kind of
 * calls that fails alone has to fail for longer, because a single call may wait for a lock.
 *
 * End. Every kind that failed works again. A kind works when one of its calls was applied. If nothing was applied
 * meanwhile, any write that is applied is enough: the whole store was away and is back, and perhaps no caller claims just
 * now. If other calls are answered, a kind whose last failure is long ago does not keep an outage open either.
 */
final class StoreHealth {
  private static final long RECENTLY = Duration.ofMillis(20).toNanos();

  /** After this time without calls that fail, nothing is known of a kind that failed before. */
  private static final long A_WHILE = Duration.ofSeconds(10).toNanos();

  /** The same of a kind that failed while others worked. */
  private static final long LONG_AGO = Duration.ofSeconds(30).toNanos();

  private final EngineRuntime runtime;
  private final Events events;
  private final String store;
  private final long patience;
  private final long latePatience;
  private final Streak answers;
  private final Streak claims;
  private final Streak completions;
  private final AtomicBoolean isOut = new AtomicBoolean();
  private volatile String regained = "";
  private volatile long outSince;
  private volatile Runnable back = () -> {};

  StoreHealth(EngineRuntime runtime, Events events, String store, Duration storeDeadline) {
    this.runtime = runtime;
    this.events = events;
    this.store = store;
    this.patience = storeDeadline.toNanos() / 2;
    this.latePatience = storeDeadline.toNanos() * 5 / 4;
    this.answers = new Streak("");
    this.claims = new Streak(" claims");
    this.completions = new Streak(" completions");
  }

  /** Runs {@code back} whenever calls that failed for a while work again. */
  void onBack(Runnable back) {
    this.back = back;
  }

  /** Takes note of an answer. */
  void answered(CallKind kind, Object answer) {
    answers.worked();
    if (isApplied(answer)) {
      applied(claims, kind == CallKind.CLAIM);
      applied(completions, kind == CallKind.COMPLETION);
    }
    if (isOut.get() && !claims.isFailing() && !completions.isFailing() && isOut.getAndSet(false)) {
      events.outageEnded(store + regained, Duration.ofNanos(runtime.nanos() - outSince));
    }
  }

  private static boolean isApplied(Object answer) {
    return answer instanceof ClaimResult.Granted
        || Boolean.TRUE.equals(answer)
        || (answer instanceof Collection<?> renewed && !renewed.isEmpty());
  }

  private static void applied(Streak streak, boolean isOwn) {
    if (isOwn) {
      streak.worked();
    } else {
      streak.anotherWorked();
    }
  }

  /**
   * Takes note of a call that failed.
   *
   * @param begun when the call began
   */
  void failed(CallKind kind, long begun, Throwable cause) {
    failed(kind, begun, cause, patience);
  }

  /**
   * Takes note of a call that the engine gave up at its deadline. The store itself soon says more
   * about the cause, if it says anything.
   */
  void late(CallKind kind, long begun, Throwable cause) {
    failed(kind, begun, cause, latePatience);
  }

  private void failed(CallKind kind, long begun, Throwable cause, long patience) {
    boolean isRefused = cause instanceof RefusedCallException;
    if (isRefused) {
      answers.worked();
    } else {
      answers.failed(begun, cause, patience);
    }
    if (kind != CallKind.OTHER) {
      Streak own = kind == CallKind.CLAIM ? claims : completions;
      own.failed(begun, cause, answers.workedAfter(own) && !isRefused ? latePatience : patience);
    }
  }

  private void began(String what, Streak streak, Throwable cause) {
    if (isOut.compareAndSet(false, true)) {
      boolean isRefused = cause instanceof RefusedCallException;
      outSince = streak.since;
      regained = isRefused ? " accepts writes again" : " answers again";
      events.outageBegan(
          store + (isRefused ? " refuses writes" : " does not answer" + what), cause);
    }
  }

  /** Calls of one kind in a row that worked, or failed. */
  private final class Streak {
    private final String what;
    private volatile long lastWorked = runtime.nanos();
    private volatile long lastFailed;
    private volatile long since;
    private volatile boolean isFailing;

    /** Whether this kind fails although others work: only a call of this kind ends that. */
    private volatile boolean isAlone;

    /** Whether another kind worked since the last failure: the whole store may be back. */
    private volatile boolean isDoubtful;

    /** Whether it failed for so long that it counts as an outage. */
    private volatile boolean isLong;

    Streak(String what) {
      this.what = what;
    }

    /** Returns whether calls fail, as far as is known. */
    boolean isFailing() {
      return isFailing && !isDoubtful && !isOld(runtime.nanos());
    }

    private boolean isOld(long now) {
      return now - lastFailed >= (isAlone ? LONG_AGO : A_WHILE);
    }

    boolean workedAfter(Streak failing) {
      return failing.isFailing && lastWorked - failing.since > 0;
    }

    void worked() {
      long now = runtime.nanos();
      // Written seldom: all callers read it.
      if (now - lastWorked > RECENTLY || isFailing) {
        lastWorked = now;
        isFailing = false;
        isAlone = false;
        isDoubtful = false;
      }
      if (isLong) {
        isLong = false;
        back.run();
      }
    }

    void anotherWorked() {
      if (isFailing && !isAlone && !isDoubtful) {
        lastWorked = runtime.nanos();
        isDoubtful = true;
      }
    }

    void failed(long begun, Throwable cause, long patience) {
      long now = runtime.nanos();
      boolean isStraggler = lastWorked - begun > 0;
      boolean isForgotten = isOld(now) && answers.lastWorked - lastFailed > 0;
      if (!isFailing || isForgotten || (isDoubtful && !isStraggler)) {
        // If others were answered meanwhile, the failures begin only now.
        since = isStraggler ? now : begun;
        isAlone = isDoubtful;
        isDoubtful = false;
        isFailing = true;
      }
      if (cause instanceof RefusedCallException) {
        isAlone = true;
      }
      lastFailed = now;
      if (!isDoubtful && now - since >= patience) {
        isLong = true;
        boolean isPartial = answers.workedAfter(this);
        began(isPartial ? what : "", this, cause);
      }
    }
  }
}
