// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Goes on asking a store that stayed silent, where giving up would lose something: an outcome that
 * is not recorded yet, a claim that nobody will use. Bounded in number and time.
 */
final class Background {
  private static final int MOST = 1000;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
  private static final Duration LONGEST = Duration.ofHours(1);

  private final Seam seam;
  private final AtomicInteger count = new AtomicInteger();
  private final Queue<Pending> pending = new ConcurrentLinkedQueue<>();

  Background(Seam seam) {
    this.seam = seam;
  }

  /**
   * Repeats {@code call} until the store answers, first after {@code delay}, and then passes the
   * answer on; none if it was never answered.
   */
  void persist(Duration delay, BooleanSupplier call, Consumer<Optional<Boolean>> answered) {
    if (count.incrementAndGet() > MOST) {
      count.decrementAndGet();
      answered.accept(Optional.empty());
      return;
    }
    Pending one = new Pending(call, answered);
    pending.add(one);
    seam.after(delay, () -> one.attempt(FIRST_PAUSE));
  }

  /** Tries everything that is pending once more, for at most about {@code deadline}. */
  void finish(Duration deadline) {
    long start = seam.nanos();
    for (Pending one : pending) {
      if (seam.nanos() - start >= deadline.toNanos()) {
        return;
      }
      one.ask();
    }
  }

  private final class Pending {
    private final BooleanSupplier call;
    private final Consumer<Optional<Boolean>> answered;
    private final long start = seam.nanos();
    private final AtomicBoolean isOver = new AtomicBoolean();

    Pending(BooleanSupplier call, Consumer<Optional<Boolean>> answered) {
      this.call = call;
      this.answered = answered;
    }

    void attempt(Duration pause) {
      boolean isDone = false;
      try {
        isDone = ask();
      } finally {
        // Also after an error: nobody else goes on with it.
        if (!isDone) {
          attemptLater(pause);
        }
      }
    }

    private void attemptLater(Duration pause) {
      if (seam.nanos() - start > LONGEST.toNanos()) {
        over(Optional.empty());
      } else {
        Duration next = Pauses.spread(pause, seam);
        seam.after(next, () -> attempt(Pauses.longer(pause, LONGEST_PAUSE)));
      }
    }

    /** Returns whether there is nothing more to ask. */
    boolean ask() {
      if (isOver.get()) {
        return true;
      }
      boolean answer;
      try {
        answer = call.getAsBoolean();
      } catch (RuntimeException e) {
        return false;
      }
      over(Optional.of(answer));
      return true;
    }

    private void over(Optional<Boolean> answer) {
      if (isOver.compareAndSet(false, true)) {
        pending.remove(this);
        count.decrementAndGet();
        answered.accept(answer);
      }
    }
  }
}
