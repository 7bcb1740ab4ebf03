// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Decision;
import io.retrysafe.EventLoop;
import io.retrysafe.Fingerprint;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.http.settings.StoreSilent;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Asks the engine whether a request may run, within the limits of its account. */
final class Beginning {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.http");

  private final Retrysafe engine;
  private final LongSupplier nanos;
  private final Permits permits;
  private final int mostWaiters;
  private final AtomicInteger waiters = new AtomicInteger();
  private final Quotas quotas;

  Beginning(Retrysafe engine, HttpPolicy policy, LongSupplier nanos, Executor background) {
    this.quotas = new Quotas(engine, policy, nanos, background);
    this.engine = engine;
    this.nanos = nanos;
    this.permits = new Permits(policy.get(Settings.RUNNING_PER_ACCOUNT));
    this.mostWaiters = policy.get(Settings.WAITERS);
  }

  /** One request on its way to a decision; its permit is given back once. */
  private final class Attempt {
    final Route route;
    final OperationKey key;
    final @Nullable Credential credential;

    Attempt(Plan.ReadBody plan, OperationKey key) {
      this.route = plan.route();
      this.key = key;
      this.credential = plan.credential();
    }

    void end() {
      permits.giveBack(key.scope().account());
    }

    Begun decided(Decision decision) {
      if (decision instanceof Decision.Granted granted) {
        return new Begun.Run(exchange(granted.operation()));
      }
      end();
      return new Begun.Answered(rejected(decision));
    }

    private Exchange exchange(@Nullable Operation operation) {
      return new Exchange(route, operation, credential, nanos, this::end);
    }

    private Answer rejected(Decision decision) {
      Answers answers = route.answers();
      if (decision instanceof Decision.Replay replay) {
        return answers.replay(replay.outcome(), credential);
      }
      if (decision instanceof Decision.InProgress inProgress) {
        return answers.inProgress(inProgress.retryAfter());
      }
      return decision instanceof Decision.Mismatch ? answers.keyReused() : answers.outcomeUnknown();
    }

    Begun silent() {
      if (route.policy().get(Settings.STORE_SILENT) == StoreSilent.OPEN) {
        LOG.log(
            System.Logger.Level.WARNING, "the store is silent; {0} runs without protection", key);
        return new Begun.Run(exchange(null));
      }
      end();
      return new Begun.Answered(route.answers().storeUnavailable(false));
    }

    Begun failed(Throwable failure) {
      Throwable cause =
          failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
      if (cause instanceof StoreUnavailableException) {
        return silent();
      }
      end();
      if (cause instanceof CancellationException) {
        return new Begun.Answered(route.answers().inProgress(Duration.ofSeconds(1)));
      }
      throw failure instanceof RuntimeException e ? e : new CompletionException(cause);
    }
  }

  CompletableFuture<Begun> begin(
      Plan.ReadBody plan, OperationKey key, Fingerprint fingerprint, Policy policy) {
    Route route = plan.route();
    Optional<ProblemType> refusal;
    try {
      refusal = quotas.refusal(key);
    } catch (StoreUnavailableException e) {
      return done(route.answers().storeUnavailable(false));
    }
    if (refusal.isPresent()) {
      return done(route.answers().nothingRan(refusal.get(), excess(refusal.get())));
    }
    if (!permits.take(key.scope().account())) {
      return tooMany(route);
    }
    Attempt attempt = new Attempt(plan, key);
    CompletableFuture<Decision> decision;
    try {
      decision = engine.beginAsync(key, fingerprint, policy);
    } catch (RuntimeException | Error e) {
      attempt.end();
      throw e;
    }
    if (decision.isDone()) {
      return decision.handle((d, e) -> d != null ? attempt.decided(d) : failed(attempt, e));
    }
    if (waiters.incrementAndGet() > mostWaiters && decision.cancel(false)) {
      waiters.decrementAndGet();
      attempt.end();
      return done(
          route
              .answers()
              .tooManyOperations(
                  "Too many requests wait for operations that are in progress. Try again later."));
    }
    return waiting(attempt, decision);
  }

  private static String excess(ProblemType problem) {
    return problem == ProblemType.STORE_FULL
        ? "The store holds as much as it may. Retries of recorded operations are still answered."
        : "This account's recorded operations take as much room as they may. Retries of them are"
            + " still answered; new operations are taken when older ones have expired.";
  }

  /** Begins without holding the loop. Nobody waits for another request, so nobody can leave. */
  CompletableFuture<Begun> begin(
      Plan.ReadBody plan, OperationKey key, Fingerprint fingerprint, EventLoop loop) {
    Route route = plan.route();
    if (!permits.take(key.scope().account())) {
      return tooMany(route);
    }
    Attempt attempt = new Attempt(plan, key);
    CompletionStage<Decision> decision;
    try {
      decision = engine.beginAsync(key, fingerprint, route.enginePolicy(), loop);
    } catch (RuntimeException | Error e) {
      attempt.end();
      throw e;
    }
    return decision
        .handle((d, e) -> d != null ? attempt.decided(d) : failed(attempt, e))
        .toCompletableFuture();
  }

  /** Returns whether a request can begin without holding a thread. */
  boolean isQueued(Plan.ReadBody plan) {
    return engine.isQueued(plan.route().enginePolicy())
        && !quotas.isReached(plan.scope().account());
  }

  private static CompletableFuture<Begun> tooMany(Route route) {
    return done(
        route
            .answers()
            .tooManyOperations("This account has too many operations under way. Try again later."));
  }

  private static Begun failed(Attempt attempt, @Nullable Throwable e) {
    return attempt.failed(e == null ? new IllegalStateException("no decision") : e);
  }

  /** Passes a cancellation on, and does not let a grant get lost that comes in that moment. */
  private CompletableFuture<Begun> waiting(Attempt attempt, CompletableFuture<Decision> decision) {
    CompletableFuture<Begun> begun = new CompletableFuture<>();
    CompletableFuture<Decision> unused =
        decision.whenComplete(
            (d, e) -> {
              waiters.decrementAndGet();
              try {
                Begun result = d != null ? attempt.decided(d) : failed(attempt, e);
                if (!begun.complete(result) && result instanceof Begun.Run run) {
                  run.exchange().abandon();
                }
              } catch (RuntimeException | Error failure) {
                begun.completeExceptionally(failure);
              }
            });
    CompletableFuture<Begun> unusedToo =
        begun.whenComplete(
            (b, e) -> {
              if (begun.isCancelled()) {
                decision.cancel(false);
              }
            });
    return begun;
  }

  private static CompletableFuture<Begun> done(Answer answer) {
    return CompletableFuture.completedFuture(new Begun.Answered(answer));
  }
}
