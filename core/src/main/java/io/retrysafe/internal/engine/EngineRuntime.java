// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * The engine's access to time, randomness, blocking and background work. All of it passes through
 * here, so that one thread can drive an engine in a test.
 */
public interface EngineRuntime {

  /**
   * Kinds of background work. Work of one kind never waits for a thread that another kind holds.
   */
  enum Lane {
    /** Records outcomes that the store did not take in time. */
    OUTCOMES(16),
    /** Releases operations that the store did not release in time. */
    RELEASES(16),
    /** Undoes unused claims. */
    UNDO(8),
    /** Looks for waiting callers whether an operation ended. */
    LOOKS(16),
    /** Answers callers whose time is over; asks no store. */
    ANSWERS(4),
    /** Sweeps, recovers and writes the history: one task each. */
    UPKEEP(4);

    private final int threads;

    Lane(int threads) {
      this.threads = threads;
    }

    /** Returns how many threads its work may hold at once. */
    int threads() {
      return threads;
    }
  }

  /** A task that was not run yet, perhaps. */
  @FunctionalInterface
  interface Timer {
    /** Makes sure that the task is not started any more, if it was not. */
    void cancel();
  }

  /** Returns monotonic time. */
  long nanos();

  /** Returns the wall clock's time, for people only: nothing is decided by it. */
  Instant now();

  /** Returns a fresh random token. */
  Token token();

  /** Returns a random number from 0 (inclusive) to 1 (exclusive), to spread pauses. */
  double random();

  /** Blocks the calling thread. */
  void pause(Duration duration) throws InterruptedException;

  /** Blocks the calling thread until {@code future} is done, however. */
  void await(CompletableFuture<?> future) throws InterruptedException;

  /** Blocks the calling thread until {@code future} is done, however, but not longer than this. */
  void await(CompletableFuture<?> future, Duration atMost) throws InterruptedException;

  /** Runs {@code task} after {@code delay} in a thread of {@code lane}, where it may block. */
  Timer after(Lane lane, Duration delay, Runnable task);

  /** Runs {@code task} after {@code delay} in a thread for {@linkplain Lane#UPKEEP upkeep}. */
  default void after(Duration delay, Runnable task) {
    after(Lane.UPKEEP, delay, task);
  }

  /**
   * Runs {@code task}, which takes microseconds and calls neither stores nor users, after {@code
   * delay}: no other work can hold it up.
   */
  void alarm(Duration delay, Runnable task);

  /** Runs {@code beat} after {@code delay} where no other background work can hold it up. */
  void beatAfter(Duration delay, Runnable beat);

  /** Runs {@code task} now, in a thread of its own: it may never end. */
  void aside(Runnable task);

  /** Stops all background work. */
  void stop();
}
