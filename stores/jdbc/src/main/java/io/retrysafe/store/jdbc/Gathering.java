// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Keeps batches from being small under load. Calls come in waves, because those of one batch are
 * answered together; the first few of a wave would go out alone, and a batch of few costs nearly as
 * much as one of many. So while batches are large, one that is small for that waits a moment for
 * the rest. With few callers nothing waits.
 */
final class Gathering {
  /** Batches are large from here on: no lone caller waits, nor a few. */
  private static final int LARGE = 32;

  private static final int SMOOTHING = 8;
  private static final long LONGEST = 2_500_000;
  private static final long PAUSE = 200_000;

  private final LongSupplier nanos;
  private final LongConsumer pause;
  private double usual;

  Gathering(LongSupplier nanos, LongConsumer pause) {
    this.nanos = nanos;
    this.pause = pause;
  }

  /**
   * Waits until {@code batch} is at least half as large as usual, or for a moment.
   *
   * @param fill adds to the batch what has come, and returns whether it takes no more
   */
  void gather(List<?> batch, BooleanSupplier fill) {
    boolean isFull = fill.getAsBoolean();
    if (batch.isEmpty()) {
      return;
    }
    if (usual >= LARGE) {
      long start = nanos.getAsLong();
      while (!isFull && batch.size() < usual / 2 && nanos.getAsLong() - start < LONGEST) {
        pause.accept(PAUSE);
        isFull = fill.getAsBoolean();
      }
    }
    usual += (batch.size() - usual) / SMOOTHING;
  }
}
