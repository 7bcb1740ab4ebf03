// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/**
 * Where the engine touches the world: all time, randomness, parking and background work pass
 * through here, so that one thread can drive an engine.
 */
interface Seam {

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

  /** Runs {@code task} in the background after {@code delay}. */
  void after(Duration delay, Runnable task);

  /** Runs {@code beat} after {@code delay} where no other background work can hold it up. */
  void beatAfter(Duration delay, Runnable beat);

  /** Stops all background work. */
  void stop();
}
