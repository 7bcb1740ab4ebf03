// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Copies of answers, nearer than the store that keeps them. It may lose or garble any of them at
 * any time, so callers check each copy and use the store of record otherwise. No call fails or
 * waits long; if something goes wrong, there is no copy.
 */
public interface NearCopies extends AutoCloseable {

  /** Returns the copy of the key. */
  Optional<Bytes> get(OperationKey key);

  /**
   * Returns the copy of the key as {@link #get(OperationKey)} does, without holding the caller's
   * thread.
   *
   * @param blocking where the copy may be waited for
   */
  default CompletionStage<Optional<Bytes>> get(OperationKey key, Executor blocking) {
    return CompletableFuture.supplyAsync(() -> get(key), blocking);
  }

  /** Keeps {@code copy} for {@code time}, unless there is one. Need not wait until it is kept. */
  void add(OperationKey key, Bytes copy, Duration time);

  /**
   * Keeps {@code copy} for {@code time} instead of any other.
   *
   * @return whether it is kept; false if that is uncertain
   */
  boolean replace(OperationKey key, Bytes copy, Duration time);

  /** Returns whether others than this process can write here, so that copies must be sealed. */
  boolean isShared();

  @Override
  void close();
}
