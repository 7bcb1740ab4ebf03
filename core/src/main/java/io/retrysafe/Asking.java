// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.NoAnswerException;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Asks the store, and again while it is silent, until a deadline. Every store call may be repeated
 * as it is.
 */
final class Asking {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(5);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(250);

  private final Seam seam;
  private final Duration deadline;

  Asking(Seam seam, Duration deadline) {
    this.seam = seam;
    this.deadline = deadline;
  }

  /**
   * Returns the store's answer, or throws the last {@link NoAnswerException} once the deadline is
   * over.
   */
  <T> T ask(Supplier<T> call) {
    return ask(call, answer -> true);
  }

  /**
   * Claims, and again while the key is contended; contended still at the deadline is the answer.
   *
   * @param call claims once
   * @param silence is run for every question that got no answer
   */
  ClaimResult claim(Supplier<ClaimResult> call, Runnable silence) {
    return ask(
        () -> {
          try {
            return call.get();
          } catch (NoAnswerException e) {
            silence.run();
            throw e;
          }
        },
        result -> !(result instanceof ClaimResult.Contended));
  }

  private <T> T ask(Supplier<T> call, Predicate<T> isEnough) {
    long start = seam.nanos();
    Duration pause = FIRST_PAUSE;
    while (true) {
      try {
        T answer = call.get();
        if (isEnough.test(answer) || !pause(start, pause)) {
          return answer;
        }
      } catch (NoAnswerException silence) {
        if (!pause(start, pause)) {
          throw silence;
        }
      }
      pause = Pauses.longer(pause, LONGEST_PAUSE);
    }
  }

  /** Returns false, at once, if the deadline would be over after the pause. */
  private boolean pause(long start, Duration pause) {
    Duration spread = Pauses.spread(pause, seam);
    if (seam.nanos() - start + spread.toNanos() >= deadline.toNanos()) {
      return false;
    }
    try {
      seam.pause(spread);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
