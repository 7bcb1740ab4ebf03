// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store call whose first try has been made: the first time it ends as that did, later ones ask
 * again. So whoever asks until there is an answer need not know how the first try was made.
 */
final class First<T> implements Supplier<T> {
  private final @Nullable T result;
  private final @Nullable Throwable failure;
  private final Supplier<T> again;
  private boolean isUsed;

  First(@Nullable T result, @Nullable Throwable failure, Supplier<T> again) {
    this.result = result;
    this.failure =
        failure instanceof CompletionException wrapped && wrapped.getCause() != null
            ? wrapped.getCause()
            : failure;
    this.again = again;
  }

  @Override
  public T get() {
    if (isUsed) {
      return again.get();
    }
    isUsed = true;
    if (result != null) {
      return result;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    throw new IllegalStateException("a store neither answered nor failed", failure);
  }
}
