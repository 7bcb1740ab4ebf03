// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Decision;
import io.retrysafe.EventLoop;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Retrysafe;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.http.settings.StoreSilent;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Asks the engine whether a request may run, within the limits of its account. */
final class AdmissionControl {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.http");

  private final Retrysafe engine;
  private final LongSupplier nanos;
  private final AccountPermits permits;
  private final int mostWaiters;
  private final AtomicInteger waiters = new AtomicInteger();
  private final Quotas quotas;

  AdmissionControl(Retrysafe engine, HttpPolicy policy, LongSupplier nanos, Executor background) {
    this.quotas = new Quotas(engine, policy, nanos, background);
    this.engine = engine;
    this.nanos = nanos;
    this.permits = new AccountPermits(policy.get(Settings.RUNNING_PER_ACCOUNT));
    this.mostWaiters = policy.get(Settings.WAITERS);
  }

  /** One request on its way to a decision; its permit is given back once. */
  private final class Attempt {
    final Route route;
    final OperationKey key;
    final @Nullable Credential credential;
    private volatile boolean isWaiting;
    private volatile boolean isTurnedAway;

    Attempt(Plan.ReadBody plan, OperationKey key) {
      this.route = plan.route();
      this.key = key;
      this.credential = plan.credential();
    }

    void end() {
      permits.giveBack(key.scope().account());
    }

    /** Returns whether there is room for one more who waits for others. */
    boolean mayWait() {
      if (waiters.incrementAndGet() > mostWaiters) {
        waiters.decrementAndGet();
        isTurnedAway = true;
        return false;
      }
      isWaiting = true;
      return true;
    }

    private void waited() {
      if (isWaiting) {
        isWaiting = false;
        waiters.decrementAndGet();
      }
    }

    private BeginResult turnedAway() {
      end();
      return new BeginResult.Answered(
          route
              .answers()
              .tooManyOperations(
                  "Too many requests wait for operations that are in progress. Try again later."));
    }

    BeginResult decided(Decision decision) {
      waited();
      if (isTurnedAway && decision instanceof Decision.InProgress) {
        return turnedAway();
      }
      if (decision instanceof Decision.Granted granted) {
        return new BeginResult.Run(exchange(granted.operation()));
      }
      end();
      return new BeginResult.Answered(rejected(decision));
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

    BeginResult silent() {
      if (route.policy().get(Settings.STORE_SILENT) == StoreSilent.OPEN) {
        LOG.log(
            System.Logger.Level.WARNING, "the store is silent; {0} runs without protection", key);
        return new BeginResult.Run(exchange(null));
      }
      end();
      return new BeginResult.Answered(route.answers().storeUnavailable(false));
    }

    /** Passes a failure of the engine on to the future. */
    void failed(Throwable failure, BeginFuture future) {
      waited();
      Throwable cause =
          failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
      if (cause instanceof StoreUnavailableException) {
        future.decided(silent());
      } else if (cause instanceof CancellationException && isTurnedAway) {
        future.decided(turnedAway());
      } else {
        end();
        if (cause instanceof CancellationException) {
          future.cancelled();
        } else {
          future.completeExceptionally(cause);
        }
      }
    }
  }

  /** Begins in the calling thread. */
  BeginResult begin(Plan.ReadBody plan, OperationRequest operation, Policy policy) {
    Optional<Answer> refusal = refusal(plan.route(), operation.key());
    if (refusal.isPresent()) {
      return new BeginResult.Answered(refusal.get());
    }
    if (!permits.take(operation.key().scope().account())) {
      return tooMany(plan.route());
    }
    Attempt attempt = new Attempt(plan, operation.key());
    Decision decision;
    try {
      decision = engine.begin(operation.key(), operation.fingerprint(), policy, attempt::mayWait);
    } catch (StoreUnavailableException e) {
      attempt.waited();
      return attempt.silent();
    } catch (RuntimeException | Error e) {
      attempt.waited();
      attempt.end();
      throw e;
    }
    return attempt.decided(decision);
  }

  /** Begins without holding the loop, which is the calling thread. */
  void begin(BeginFuture future, OperationRequest operation, Policy policy, EventLoop loop) {
    if (!quotas.isReached(operation.key().scope().account())) {
      admitted(future, operation, policy, loop);
      return;
    }
    // Whether the store knows the operation is asked elsewhere.
    future.block(
        () -> refusal(future.plan().route(), operation.key()),
        loop,
        refusal ->
            refusal.ifPresentOrElse(
                answer -> future.complete(new BeginResult.Answered(answer)),
                () -> admitted(future, operation, policy, loop)));
  }

  private void admitted(
      BeginFuture future, OperationRequest operation, Policy policy, EventLoop loop) {
    Plan.ReadBody plan = future.plan();
    if (!permits.take(operation.key().scope().account())) {
      future.complete(tooMany(plan.route()));
      return;
    }
    Attempt attempt = new Attempt(plan, operation.key());
    CompletableFuture<Decision> decision;
    try {
      decision =
          engine.beginAsync(
              operation.key(), operation.fingerprint(), policy, loop.mayWait(attempt::mayWait));
    } catch (RuntimeException | Error e) {
      attempt.end();
      future.completeExceptionally(e);
      return;
    }
    future.awaits(decision);
    CompletableFuture<Decision> unused =
        decision.whenComplete(
            (decided, failure) -> {
              try {
                if (failure == null) {
                  future.decided(attempt.decided(decided));
                } else {
                  attempt.failed(failure, future);
                }
              } catch (Throwable e) {
                future.completeExceptionally(e);
              }
            });
  }

  private Optional<Answer> refusal(Route route, OperationKey key) {
    try {
      return quotas
          .refusal(key)
          .map(problem -> route.answers().nothingRan(problem, excess(problem)));
    } catch (StoreUnavailableException e) {
      return Optional.of(route.answers().storeUnavailable(false));
    }
  }

  private static String excess(ProblemType problem) {
    return problem == ProblemType.STORE_FULL
        ? "The store holds as much as it may. Retries of recorded operations are still answered."
        : "This account's recorded operations take as much room as they may. Retries of them are"
            + " still answered; new operations are taken when older ones have expired.";
  }

  private static BeginResult tooMany(Route route) {
    return new BeginResult.Answered(
        route
            .answers()
            .tooManyOperations("This account has too many operations under way. Try again later."));
  }
}
