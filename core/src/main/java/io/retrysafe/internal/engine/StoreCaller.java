// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.StoreException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The way in which a caller that begins or ends operations calls the store: {@link ThreadCaller} or
 * {@link LoopCaller}. The protocol is written once, over this; calls are repeated while the store
 * is silent, and fail with a {@link StoreException} at the deadline that began at {@code start}.
 */
interface StoreCaller {

  /**
   * Claims, and again while the key is contended; contended still at the deadline is the answer.
   *
   * @param silence is run for every question that got no answer
   */
  CompletableFuture<ClaimResult> claim(long start, Claim claim, Runnable silence);

  /** Completes the owner's entry. */
  CompletableFuture<Boolean> complete(long start, Owner owner, Outcome outcome, Duration retention);

  /** Releases the owner's entry. */
  CompletableFuture<Boolean> release(long start, Owner owner, Release how);

  /** Finds the entry of the key. */
  CompletableFuture<Optional<Entry>> find(long start, OperationKey key);

  /** Runs work that may block: a user's code, or a transaction. */
  <T> CompletableFuture<T> block(Supplier<CompletableFuture<T>> work);

  /** Runs {@code work}, which takes microseconds and may be repeated, where the caller goes on. */
  void resume(Runnable work);

  /** Returns {@code future} as one that is done where the caller goes on. */
  <T> CompletableFuture<T> resumed(CompletableFuture<T> future);
}
