// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One caller's part of a batch: which keys, what the step has to know, and the answer once there is
 * one. It is done too when its caller gave up; then it is not sent any more, if it was not yet.
 */
final class Call extends CompletableFuture<Object> {
  private final byte[][] keys;
  private final byte[][] arguments;
  private final Duration timeout;
  private final long end;
  private volatile @Nullable Batch batch;
  private volatile boolean isLarge;

  /**
   * Makes a call whose time begins now.
   *
   * @param arguments the first one is what its answer is recognised by: a token, or a key
   */
  Call(Duration timeout, byte[][] keys, byte[]... arguments) {
    this.keys = keys;
    this.arguments = arguments;
    this.timeout = timeout;
    this.end = System.nanoTime() + nanos(timeout);
  }

  /** Returns {@code timeout} as far as clients can count it. */
  static Duration checked(Duration timeout) {
    if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
      throw new IllegalArgumentException("timeout must be at least 1 ms, was " + timeout);
    }
    Duration longest = Duration.ofDays(1);
    return timeout.compareTo(longest) < 0 ? timeout : longest;
  }

  /** Returns {@code time} in nanoseconds, or so many that nobody lives to see their end. */
  static long nanos(Duration time) {
    return Math.min(TimeUnit.NANOSECONDS.convert(time), Long.MAX_VALUE / 4);
  }

  byte[][] keys() {
    return keys;
  }

  byte[][] arguments() {
    return arguments;
  }

  /** Returns what its answer is recognised by. */
  byte[] tag() {
    return arguments[0];
  }

  /** Returns how many bytes of arguments it has. */
  int size() {
    int size = 0;
    for (byte[] argument : arguments) {
      size += argument.length;
    }
    return size;
  }

  /**
   * Says that the answer is large and waits for its turn. The call leaves its batch, through which
   * it would hold the answers of the others.
   */
  void large() {
    isLarge = true;
    batch = null;
  }

  boolean isLarge() {
    return isLarge;
  }

  void joined(Batch batch) {
    this.batch = batch;
  }

  /**
   * Waits for the answer, until the time is up that began with the call.
   *
   * @throws StoreException as {@link Trouble} says
   */
  Object await() {
    try {
      return checked(get(nanosLeft(), TimeUnit.NANOSECONDS));
    } catch (TimeoutException e) {
      throw late(e);
    } catch (InterruptedException e) {
      giveUp();
      Thread.currentThread().interrupt();
      throw new NoAnswerException("interrupted while waiting for Redis", e);
    } catch (ExecutionException e) {
      throw Trouble.of(e.getCause());
    }
  }

  /** Returns the answer that {@link #await} would, without a thread that waits for it. */
  CompletionStage<Object> later() {
    return orTimeout(nanosLeft(), TimeUnit.NANOSECONDS)
        .handle(
            (answer, failure) -> {
              if (failure == null) {
                return checked(answer);
              }
              throw failure instanceof TimeoutException e ? late(e) : Trouble.of(failure);
            });
  }

  private long nanosLeft() {
    return end - System.nanoTime();
  }

  private static Object checked(Object answer) {
    if (answer instanceof List<?> parts && parts.size() == 1) {
      throw Trouble.of(Row.error(answer), null);
    }
    return answer;
  }

  private StoreException late(TimeoutException e) {
    giveUp();
    return new NoAnswerException("Redis did not answer within " + timeout, e);
  }

  /** Ends the call without an answer; it is not sent any more, unless it was already. */
  void giveUp() {
    cancel(false);
    Batch joined = batch;
    if (joined != null) {
      joined.cancelIfAbandoned();
    }
  }
}
