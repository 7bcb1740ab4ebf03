// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.StoreHealth.Kind;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A caller with a thread of its own: it asks the store there, and every future is done at once. */
final class ThreadCaller implements StoreCaller {
  private final Store store;
  private final Asking asking;

  ThreadCaller(Store store, Asking asking) {
    this.store = store;
    this.asking = asking;
  }

  @Override
  public CompletableFuture<ClaimResult> claim(long start, Claim claim, Runnable silence) {
    return done(() -> asking.claim(start, () -> store.claim(claim), silence));
  }

  @Override
  public CompletableFuture<Boolean> complete(
      long start, Owner owner, Outcome outcome, Duration retention) {
    return done(() -> asking.ask(Kind.COMPLETION, start, () -> store.complete(owner, outcome, retention)));
  }

  @Override
  public CompletableFuture<Boolean> release(long start, Owner owner, LeaveAs how) {
    return done(() -> asking.ask(start, () -> store.release(owner, how)));
  }

  @Override
  public CompletableFuture<Optional<Entry>> find(long start, OperationKey key) {
    return done(() -> asking.ask(start, () -> store.find(key)));
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
