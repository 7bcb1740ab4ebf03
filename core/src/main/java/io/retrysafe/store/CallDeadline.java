// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The time until which the caller of a store waits for an answer. The engine sets it around every
 * call of the request path; a store asks for the {@linkplain #timeLeft time left} when a call
 * begins, in the thread of its caller, and throws {@link NoAnswerException} once that time is over.
 * So a caller gets an answer by its own deadline, however long the store's time-out is.
 *
 * <p>It belongs to the calling thread and so passes through stores that call other stores. Calls
 * without a deadline have the store's own time-out.
 */
public final class CallDeadline {
  private static final ThreadLocal<@Nullable CallDeadline> CURRENT = new ThreadLocal<>();

  private final LongSupplier nanos;
  private final long at;

  private CallDeadline(LongSupplier nanos, long at) {
    this.nanos = nanos;
    this.at = at;
  }

  /**
   * Runs {@code call}; the stores that it calls in this thread have {@code time} for their answers.
   * Inside of another deadline the earlier one holds.
   *
   * @param nanos the monotonic clock that the time is measured with
   */
  public static <T extends @Nullable Object> T within(
      Duration time, LongSupplier nanos, Supplier<T> call) {
    CallDeadline outer = CURRENT.get();
    CURRENT.set(new CallDeadline(nanos, nanos.getAsLong() + timeLeft(time).toNanos()));
    try {
      return call.get();
    } finally {
      if (outer == null) {
        CURRENT.remove();
      } else {
        CURRENT.set(outer);
      }
    }
  }

  /**
   * Returns how long a call that begins now may take: {@code timeout}, or less if its caller waits
   * for less. Zero, never less, if the caller's time is over; then nothing should be sent any more.
   */
  public static Duration timeLeft(Duration timeout) {
    CallDeadline current = CURRENT.get();
    if (current == null) {
      return timeout;
    }
    Duration left = Duration.ofNanos(Math.max(0, current.at - current.nanos.getAsLong()));
    return left.compareTo(timeout) < 0 ? left : timeout;
  }
}
