// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.EventLoop;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A caller in an event loop: nothing holds the loop, and what follows an answer runs in it. */
final class LoopCaller implements StoreCaller {
  private final AsyncStore store;
  private final StoreRetries retries;
  private final EventLoop loop;

  LoopCaller(EngineContext context, EventLoop loop) {
    this.store = context.async();
    this.retries = context.retries();
    this.loop = loop;
  }

  @Override
  public CompletableFuture<ClaimResult> claim(long start, Claim claim, Runnable silence) {
    return resumed(
        retries.claimLater(
            start, () -> store.claim(claim, loop.blocking()), silence, loop.itself()));
  }

  @Override
  public CompletableFuture<Boolean> complete(
      long start, Owner owner, Outcome outcome, Duration retention) {
    return resumed(
        retries.askLater(
            CallKind.COMPLETION,
            start,
            () -> store.complete(owner, outcome, retention, loop.blocking()),
            loop.itself()));
  }

  @Override
  public CompletableFuture<Boolean> release(long start, Owner owner, Release how) {
    return resumed(
        retries.askLater(
            CallKind.OTHER,
            start,
            () -> store.release(owner, how, loop.blocking()),
            loop.itself()));
  }

  @Override
  public CompletableFuture<Optional<Entry>> find(long start, OperationKey key) {
    return resumed(
        retries.askLater(
            CallKind.OTHER, start, () -> store.find(key, loop.blocking()), loop.itself()));
  }

  @Override
  public <T> CompletableFuture<T> block(Supplier<CompletableFuture<T>> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    loop.blocking().execute(() -> Futures.forward(Futures.of(work), result));
    return resumed(result);
  }

  /** A loop that takes no more tasks must not lose an answer that a caller waits for. */
  @Override
  public void resume(Runnable work) {
    try {
      loop.itself().execute(work);
    } catch (Throwable e) {
      work.run();
    }
  }

  /** A future that is done was answered in the calling thread, which is the loop. */
  @Override
  public <T> CompletableFuture<T> resumed(CompletableFuture<T> future) {
    if (future.isDone()) {
      return future;
    }
    CompletableFuture<T> resumed = new CompletableFuture<>();
    CompletableFuture<T> unused =
        future.whenComplete((value, failure) -> resume(() -> Futures.forward(future, resumed)));
    return resumed;
  }
}
