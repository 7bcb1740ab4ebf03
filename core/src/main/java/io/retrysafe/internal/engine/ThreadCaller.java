// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A caller with a thread of its own: it asks the store there, and every future is done at once. */
final class ThreadCaller implements StoreCaller {
  private final Store store;
  private final StoreRetries retries;

  ThreadCaller(Store store, StoreRetries retries) {
    this.store = store;
    this.retries = retries;
  }

  @Override
  public CompletableFuture<ClaimResult> claim(long start, Claim claim, Runnable silence) {
    return done(() -> retries.claim(start, () -> store.claim(claim), silence));
  }

  @Override
  public CompletableFuture<Boolean> complete(
      long start, Owner owner, Outcome outcome, Duration retention) {
    return done(
        () ->
            retries.ask(
                CallKind.COMPLETION, start, () -> store.complete(owner, outcome, retention)));
  }

  @Override
  public CompletableFuture<Boolean> release(long start, Owner owner, Release how) {
    return done(() -> retries.ask(start, () -> store.release(owner, how)));
  }

  @Override
  public CompletableFuture<Optional<Entry>> find(long start, OperationKey key) {
    return done(() -> retries.ask(start, () -> store.find(key)));
  }

  private static <T> CompletableFuture<T> done(Supplier<T> call) {
    return Futures.of(() -> CompletableFuture.completedFuture(call.get()));
  }

  @Override
  public <T> CompletableFuture<T> block(Supplier<CompletableFuture<T>> work) {
    return Futures.of(work);
  }

  @Override
  public void resume(Runnable work) {
    work.run();
  }

  @Override
  public <T> CompletableFuture<T> resumed(CompletableFuture<T> future) {
    return future;
  }
}
