// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.StoreException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One caller's step in a script: its keys, its arguments, and the answer once it has arrived. If
 * the caller gives up before the script is sent, the call is left out of it.
 */
final class ScriptCall extends CompletableFuture<Object> {
  private final byte[][] keys;
  private final byte[][] arguments;
  private final Duration timeout;
  private final long deadline;
  private volatile @Nullable Batch batch;
  private volatile boolean isLarge;

  /**
   * Creates a call whose time-out starts now.
   *
   * @param keys keys in one slot of a cluster; calls with the same last key share a slot
   * @param arguments the script returns the first one, a token or a key, before the answer
   */
  ScriptCall(Duration timeout, byte[][] keys, byte[]... arguments) {
    this.keys = keys;
    this.arguments = arguments;
    this.timeout = timeout;
    this.deadline = System.nanoTime() + RedisClients.nanos(timeout);
  }

  byte[][] keys() {
    return keys;
  }

  /** Returns the key that all calls on one slot have in common. */
  ByteBuffer slot() {
    return ByteBuffer.wrap(keys[keys.length - 1]);
  }

  byte[][] arguments() {
    return arguments;
  }

  /** Returns the bytes that the script returns before the answer to this call. */
  byte[] tag() {
    return arguments[0];
  }

  /** Returns the size of all arguments in bytes. */
  int size() {
    int size = 0;
    for (byte[] argument : arguments) {
      size += argument.length;
    }
    return size;
  }

  /** Removes the call from its batch, because its answer is too large to share a reply. */
  void large() {
    isLarge = true;
    // Otherwise a call that waits would keep the answers of the whole batch in memory.
    batch = null;
  }

  boolean isLarge() {
    return isLarge;
  }

  void joined(Batch batch) {
    this.batch = batch;
  }

  /**
   * Waits for the answer until the deadline.
   *
   * @throws StoreException as {@link RedisErrors} says
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
      throw RedisErrors.of(e.getCause());
    }
  }

  /**
   * Waits for all calls and passes each answer and its index to {@code answers}.
   *
   * @throws RefusedCallException if a call was refused, once all other answers were passed on
   */
  static void awaitAll(List<ScriptCall> calls, ObjIntConsumer<Object> answers) {
    @Nullable RefusedCallException refused = null;
    try {
      for (int i = 0; i < calls.size(); i++) {
        try {
          answers.accept(calls.get(i).await(), i);
        } catch (RefusedCallException e) {
          refused = refused == null ? e : refused;
        }
      }
    } finally {
      calls.forEach(ScriptCall::giveUp);
    }
    if (refused != null) {
      throw refused;
    }
  }

  /** Returns the answer that {@link #await} would return, without blocking a thread. */
  CompletionStage<Object> later() {
    return orTimeout(nanosLeft(), TimeUnit.NANOSECONDS)
        .handle(
            (answer, failure) -> {
              if (failure == null) {
                return checked(answer);
              }
              throw failure instanceof TimeoutException e ? late(e) : RedisErrors.of(failure);
            });
  }

  private long nanosLeft() {
    return deadline - System.nanoTime();
  }

  private static Object checked(Object answer) {
    if (answer instanceof List<?> parts && parts.size() == 1) {
      throw RedisErrors.of(Replies.error(answer), null);
    }
    return answer;
  }

  private StoreException late(TimeoutException e) {
    giveUp();
    return new NoAnswerException("Redis did not answer within " + timeout, e);
  }

  /** Ends the call without an answer. If it was not sent yet, it is not sent any more. */
  void giveUp() {
    cancel(false);
    Batch joined = batch;
    if (joined != null) {
      joined.cancelIfAbandoned();
    }
  }
}
