// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.vertx.core.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for Vert.x from threads that may block. */
public final class VertxFutures {
  /** How long opening and closing may take. */
  public static final Duration SOON = Duration.ofSeconds(10);

  private VertxFutures() {}

  /**
   * Waits for a result.
   *
   * @param what the beginning of the message if it fails
   */
  public static <T> T await(Future<T> future, String what) {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(SOON.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new UncheckedIOException(new IOException(what + ": " + e.getCause(), e.getCause()));
    } catch (TimeoutException e) {
      throw new UncheckedIOException(new IOException(what + " within " + SOON, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new IOException(what + ": interrupted", e));
    }
  }

  /** Returns whether a result arrived in time. */
  public static boolean isDone(Future<?> future, Duration within) {
    try {
      future
          .toCompletionStage()
          .toCompletableFuture()
          .get(within.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
