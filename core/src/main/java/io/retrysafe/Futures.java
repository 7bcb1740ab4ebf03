// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Futures whose exceptions come out as they went in. */
final class Futures {
  private Futures() {}

  /** Returns what a call returns; a call that throws has failed like a future. */
  static <T> CompletableFuture<T> of(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Returns what {@code next} makes of the result or of the failure, one of which is null. */
  static <T, R> CompletableFuture<R> then(
      CompletableFuture<T> future,
      BiFunction<@Nullable T, @Nullable Throwable, CompletableFuture<R>> next) {
    CompletableFuture<R> result = new CompletableFuture<>();
    CompletableFuture<T> unused =
        future.whenComplete(
            (value, failure) -> {
              Throwable cause = failure == null ? null : unwrapped(failure);
              forward(of(() -> next.apply(value, cause)), result);
            });
    return result;
  }

  /** Completes {@code to} as {@code from} completes. */
  static <T> void forward(CompletableFuture<T> from, CompletableFuture<T> to) {
    CompletableFuture<T> unused =
        from.whenComplete(
            (value, failure) -> {
              if (failure == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(unwrapped(failure));
              }
            });
  }

  /** Returns what a stage failed with, without the wrapping of the stages between. */
  static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  /** Returns {@code failure}, which is not checked, so that it can be thrown; throws errors. */
  static RuntimeException unchecked(@Nullable Throwable failure) {
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException e
        ? e
        : new IllegalStateException("a store neither answered nor failed", failure);
  }

  /** Returns the result of a future that is done. */
  static <T> T result(CompletableFuture<T> done) {
    try {
      return done.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw e;
    } catch (CancellationException e) {
      throw new IllegalStateException("the wait was cancelled", e);
    }
  }
}
