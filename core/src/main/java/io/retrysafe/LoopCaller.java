// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.StoreHealth.Kind;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A caller in an event loop: nothing holds the loop, and what follows an answer runs in it. */
final class LoopCaller implements StoreCaller {
  private final AsyncStore store;
  private final Asking asking;
  private final EventLoop loop;

  LoopCaller(Parts parts, EventLoop loop) {
    this.store = parts.async();
    this.asking = parts.asking();
    this.loop = loop;
  }

  @Override
  public CompletableFuture<ClaimResult> claim(long start, Claim claim, Runnable silence) {
    return resumed(
        asking.claimLater(
            start, () -> store.claim(claim, loop.blocking()), silence, loop.itself()));
  }

  @Override
  public CompletableFuture<Boolean> complete(
      long start, Owner owner, Outcome outcome, Duration retention) {
    return resumed(
        asking.askLater(
            Kind.COMPLETION,
            start,
            () -> store.complete(owner, outcome, retention, loop.blocking()),
            loop.itself()));
  }

  @Override
  public CompletableFuture<Boolean> release(long start, Owner owner, LeaveAs how) {
    return resumed(
        asking.askLater(Kind.OTHER, start, () -> store.release(owner, how, loop.blocking()), loop.itself()));
  }

  @Override
  public CompletableFuture<Optional<Entry>> find(long start, OperationKey key) {
    return resumed(asking.askLater(Kind.OTHER, start, () -> store.find(key, loop.blocking()), loop.itself()));
  }

  @Override
  public <T> CompletableFuture<T> block(Supplier<CompletableFuture<T>> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    loop.blocking().execute(() -> Futures.forward(Futures.of(work), result));
    return resumed(result);
  }

  /** A loop that takes nothing any more must not lose what somebody waits for. */
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
