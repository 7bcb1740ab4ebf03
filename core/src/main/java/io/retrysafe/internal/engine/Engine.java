// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Codec;
import io.retrysafe.Decision;
import io.retrysafe.EventLoop;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.Work;
import io.retrysafe.internal.DurationText;
import io.retrysafe.store.AuditNote;
import io.retrysafe.store.Browsable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.History;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Store;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.Sweepable;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The engine behind {@link io.retrysafe.Retrysafe}: it assembles the parts and connects them. */
public final class Engine {
  private final EngineContext context;
  private final Claims claims;
  private final Resolver resolver;
  private final Duration storeDeadline;
  private volatile boolean isClosed;

  /**
   * Starts an engine with its background work.
   *
   * @throws IllegalArgumentException if the store cannot do what the settings need
   */
  public Engine(EngineSettings settings) {
    this.context = context(settings);
    this.claims = new Claims(context);
    this.resolver = new Resolver(context, settings.name());
    this.storeDeadline = settings.storeDeadline();
    check(settings.policy());
    startSweeper(settings.sweepEvery());
    settings.recoveries().forEach(this::startRecoverer);
  }

  private static EngineContext context(EngineSettings settings) {
    Store store = settings.store();
    EngineRuntime runtime = settings.runtime();
    Recorder recorder =
        settings.hasHistory()
            ? store
                .capability(History.class)
                .map(history -> new Recorder(history, runtime, settings.name()))
                .orElse(null)
            : null;
    Events events = new Events(settings.listeners(), recorder);
    StoreHealth health =
        new StoreHealth(runtime, events, store.profile().name(), settings.storeDeadline());
    StoreRetries retries = new StoreRetries(runtime, settings.storeDeadline(), health);
    Waiters waiters = new Waiters(settings.waiters(), store);
    return new EngineContext(
        store,
        new AsyncStore(store, runtime),
        new ThreadCaller(store, retries),
        runtime,
        retries,
        events,
        new Heartbeat(runtime, store, retries, events),
        new PendingWrites(store, retries, waiters, settings.pendingMemory()),
        waiters);
  }

  private void startSweeper(Duration every) {
    if (!every.isZero()) {
      context
          .store()
          .capability(Sweepable.class)
          .ifPresent(
              sweepable ->
                  new Sweeper(sweepable, context.retries(), context.events(), every).start());
    }
  }

  private void startRecoverer(RecoverySchedule schedule) {
    Browsable browsable =
        context
            .store()
            .capability(Browsable.class)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "the store "
                            + context.store().profile().name()
                            + " cannot list entries, so it cannot be recovered in the"
                            + " background"));
    check(schedule.policy());
    new Recoverer(browsable, context, schedule).start();
  }

  public Store store() {
    return context.store();
  }

  /** Decides whether the caller may run the operation; blocks until then. */
  public Decision begin(
      OperationKey key, Fingerprint fingerprint, Policy policy, BooleanSupplier mayWait) {
    PendingDecision decided = decide(key, fingerprint, policy, context.thread(), mayWait);
    if (decided.isCancelled()) {
      return new Decision.InProgress(Claims.SOON);
    }
    try {
      if (!decided.isDone()) {
        context.runtime().await(decided);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (decided.cancel(false)) {
        return new Decision.InProgress(Claims.SOON);
      }
    }
    return Futures.result(decided);
  }

  /** Decides as {@link #begin} does, without holding the event loop. */
  public CompletableFuture<Decision> beginAsync(
      OperationKey key, Fingerprint fingerprint, Policy policy, EventLoop loop) {
    return decide(key, fingerprint, policy, new LoopCaller(context, loop), loop.mayWait());
  }

  private PendingDecision decide(
      OperationKey key,
      Fingerprint fingerprint,
      Policy policy,
      StoreCaller caller,
      BooleanSupplier mayWait) {
    if (isClosed) {
      throw new IllegalStateException("this engine is closed");
    }
    check(policy);
    PendingDecision decision = new PendingDecision(caller, mayWait);
    // A token for every look: a stray claim of one look must not release the grant of the next.
    Supplier<CompletableFuture<Decision>> look =
        () -> claims.decide(claims.claim(key, fingerprint, policy), policy, caller, decision);
    if (!policy.waitUpTo().isZero()) {
      Waiter waiter = new Waiter(context, key, policy.waitUpTo(), look, decision);
      if (context.waiters().join(waiter)) {
        waiter.look();
        return decision;
      }
    }
    decision.follow(Futures.of(look));
    return decision;
  }

  /** Runs {@code work} once, or returns what it returned before. */
  public <T extends @Nullable Object, X extends Exception> T run(
      OperationKey key, Fingerprint fingerprint, Policy policy, Codec<T> codec, Work<T, X> work)
      throws X {
    return new WorkRunner<>(key, codec, work).run(begin(key, fingerprint, policy, () -> true));
  }

  /** Applies an operator's resolution to the operation that {@code seen} shows. */
  public Resolved resolve(Entry seen, Resolution resolution, AuditNote note) {
    return resolver.resolve(seen, resolution, note);
  }

  /** Returns whether the store has an entry for {@code key}. */
  public boolean isKnown(OperationKey key) {
    try {
      return context.retries().ask(() -> context.store().find(key)).isPresent();
    } catch (StoreException e) {
      throw new StoreUnavailableException(key, false, e);
    }
  }

  /** Closes as {@link #close(Duration)} does, and gives a silent store its deadline. */
  public void close() {
    close(storeDeadline);
  }

  /** Stops all background work after at most about {@code within}. */
  public void close(Duration within) {
    isClosed = true;
    context.waiters().close();
    context.retries().deadlines().close();
    try {
      context.pendingWrites().finish(within);
      context.events().finish(storeDeadline);
    } finally {
      context.runtime().stop();
    }
  }

  /** Checks that the store can keep what {@code policy} promises. */
  public void check(Policy policy) {
    Duration unsettled = context.store().profile().unsettledRetention();
    if (policy.retention().compareTo(unsettled) > 0) {
      throw new IllegalArgumentException(
          "retention "
              + DurationText.text(policy.retention())
              + " is longer than the store keeps unsettled entries, "
              + DurationText.text(unsettled)
              + "; raise the store's unsettledRetention");
    }
  }
}
