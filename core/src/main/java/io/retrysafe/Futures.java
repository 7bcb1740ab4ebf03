// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
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

  /** Completes a future as {@code call} does, which is made elsewhere. */
  static <T> void complete(
      CompletableFuture<T> future, Executor executor, Supplier<CompletableFuture<T>> call) {
    Runnable work =
        () -> {
          CompletableFuture<T> unused =
              of(call)
                  .whenComplete(
                      (result, failure) -> {
                        if (failure == null) {
                          future.complete(result);
                        } else {
                          future.completeExceptionally(failure);
                        }
                      });
        };
    try {
      executor.execute(work);
    } catch (Throwable e) {
      // An executor that takes nothing any more must not lose what its caller waits for.
      work.run();
    }
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
