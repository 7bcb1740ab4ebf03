// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.retrysafe.Decision;
import io.retrysafe.Decision.Granted;
import io.retrysafe.Decision.InProgress;
import io.retrysafe.Decision.Mismatch;
import io.retrysafe.Decision.OutcomeUnknown;
import io.retrysafe.Decision.Replay;
import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.Fingerprint;
import io.retrysafe.Lookup;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Release;
import io.retrysafe.store.State;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.TakeOver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Claims operations and judges what the store answers: fingerprint before state, and a rejected
 * caller changes nothing.
 */
final class Claims {
  static final Duration SOON = Duration.ofSeconds(1);

  private final EngineContext context;

  Claims(EngineContext context) {
    this.context = context;
  }

  Claim claim(OperationKey key, Fingerprint fingerprint, Policy policy) {
    return new Claim(
        key, fingerprint, context.runtime().token(), policy.lease(), takeOver(policy.recovery()));
  }

  private static TakeOver takeOver(Recovery recovery) {
    if (recovery instanceof Recovery.Rerun rerun) {
      return new TakeOver(rerun.attempts(), rerun.within());
    }
    boolean isAskedAtOnce =
        recovery instanceof Recovery.Reconcile reconcile && reconcile.after().isZero();
    return isAskedAtOnce ? TakeOver.ALWAYS : TakeOver.NONE;
  }

  /** One look at an operation, for a caller. */
  record Look(Claim claim, Policy policy, StoreCaller caller, PendingDecision decision) {}

  /**
   * Decides as the store answers, and for a takeover as a lookup says.
   *
   * @param decision the caller's pending decision; it learns if a lookup takes time
   */
  CompletableFuture<Decision> decide(
      Claim claim, Policy policy, StoreCaller caller, PendingDecision decision) {
    Look look = new Look(claim, policy, caller, decision);
    long start = context.runtime().nanos();
    return then(start, claim, caller, answer -> decide(look, start, answer));
  }

  /** Asks for a claim and goes on with the answer, or fails because there is none. */
  private CompletableFuture<Decision> then(
      long start,
      Claim claim,
      StoreCaller caller,
      Function<Answer, CompletableFuture<Decision>> next) {
    return Futures.then(
        ask(start, claim, caller),
        (answer, failure) -> {
          if (answer != null) {
            return next.apply(answer);
          }
          throw failure instanceof StoreException silence
              ? unavailable(claim, silence)
              : Futures.unchecked(failure);
        });
  }

  private CompletableFuture<Decision> decide(Look look, long start, Answer answer) {
    Claim claim = look.claim;
    Policy policy = look.policy;
    if (answer.result instanceof ClaimResult.Granted grant) {
      return granted(open(claim, policy, grant, answer.strayClaim), grant, look);
    }
    if (answer.result instanceof ClaimResult.Held held) {
      boolean isTime =
          policy.recovery() instanceof Recovery.Reconcile reconcile
              && !reconcile.after().isZero()
              && held.entry().fingerprint().equals(claim.fingerprint())
              && hasBeenUnknown(held.entry(), reconcile.after());
      return isTime
          ? takeOver(held.entry(), look, start)
          : completedFuture(judge(claim, held.entry()));
    }
    return completedFuture(inProgress(claim.key(), 0, SOON));
  }

  private StoreUnavailableException unavailable(Claim claim, StoreException silence) {
    context.events().emit(Event.Kind.UNAVAILABLE, claim.key(), 0, "claiming: " + silence);
    return new StoreUnavailableException(claim.key(), false, silence);
  }

  /** Returns whether the entry has been unknown for {@code after}, on the store's clock. */
  static boolean hasBeenUnknown(Entry entry, Duration after) {
    Duration since = Duration.between(entry.times().leaseUntil(), entry.times().readAt());
    return entry.state() == State.UNKNOWN && since.compareTo(after) >= 0;
  }

  /**
   * Takes over an entry that was seen to be unknown for long enough. Between that look and the
   * grant no other attempt may have run it: a grant in between counts as an attempt, and an owner
   * that came back renewed for a whole lease, so a grant within a lease of the look is of what was
   * seen.
   */
  private CompletableFuture<Decision> takeOver(Entry seen, Look look, long start) {
    Claim claim =
        new Claim(
            look.claim.key(),
            look.claim.fingerprint(),
            context.runtime().token(),
            look.policy.lease(),
            TakeOver.ALWAYS);
    return then(start, claim, look.caller, answer -> takenOver(seen, look, claim, start, answer));
  }

  private CompletableFuture<Decision> takenOver(
      Entry seen, Look look, Claim claim, long start, Answer answer) {
    if (answer.result instanceof ClaimResult.Held held) {
      return completedFuture(judge(claim, held.entry()));
    }
    if (!(answer.result instanceof ClaimResult.Granted grant)) {
      return completedFuture(inProgress(claim.key(), 0, SOON));
    }
    ClaimedOperation operation = open(claim, look.policy, grant, answer.strayClaim);
    Duration between = Duration.ofNanos(context.runtime().nanos() - start);
    if (grant.attempt() == seen.attempt() + 1 && between.compareTo(look.policy.lease()) < 0) {
      return granted(operation, grant, look);
    }
    return unknown(operation, look.caller);
  }

  /** Leaves an operation unknown again that no attempt runs. */
  private static CompletableFuture<Decision> unknown(
      ClaimedOperation operation, StoreCaller caller) {
    return Futures.then(
        operation.leave(Release.UNKNOWN, caller),
        (ending, failure) -> {
          if (failure != null) {
            throw Futures.unchecked(failure);
          }
          return completedFuture(new OutcomeUnknown());
        });
  }

  /**
   * What the store answered to a claim.
   *
   * @param strayClaim what may be left of it, if it was asked more than once
   */
  record Answer(ClaimResult result, Optional<StrayClaim> strayClaim) {}

  /** Asks for a claim. If it is not granted, nothing of it is left behind. */
  Answer ask(Claim claim) {
    return Futures.result(ask(context.runtime().nanos(), claim, context.thread()));
  }

  private CompletableFuture<Answer> ask(long start, Claim claim, StoreCaller caller) {
    Silence silence = new Silence(claim);
    return Futures.then(
        caller.claim(start, claim, silence),
        (result, failure) -> {
          if (result != null) {
            return completedFuture(silence.answer(result));
          }
          silence.giveUp();
          throw Futures.unchecked(failure);
        });
  }

  /** Remembers which questions for a claim got no answer. */
  private final class Silence implements Runnable {
    private final Claim claim;
    private volatile @Nullable StrayClaim heard;

    Silence(Claim claim) {
      this.claim = claim;
    }

    @Override
    public void run() {
      heard = new StrayClaim(context, claim, context.runtime().nanos());
    }

    void giveUp() {
      StrayClaim strayClaim = heard;
      if (strayClaim != null) {
        strayClaim.giveUp();
      }
    }

    Answer answer(ClaimResult result) {
      Optional<StrayClaim> strayClaim = Optional.ofNullable(heard);
      if (!(result instanceof ClaimResult.Granted)) {
        strayClaim.ifPresent(StrayClaim::undo);
      }
      return new Answer(result, strayClaim);
    }
  }

  private CompletableFuture<Decision> granted(
      ClaimedOperation operation, ClaimResult.Granted grant, Look look) {
    boolean isDoubtful = grant.previous() == PreviousPhase.UNKNOWN && !operation.steps().isFailed();
    return isDoubtful && operation.policy().recovery() instanceof Recovery.Reconcile reconcile
        ? reconcile(operation, reconcile.lookup(), look)
        : completedFuture(new Granted(operation));
  }

  ClaimedOperation open(
      Claim claim, Policy policy, ClaimResult.Granted grant, Optional<StrayClaim> strayClaim) {
    ClaimedOperation operation = new ClaimedOperation(context, claim, policy, grant, strayClaim);
    context.heartbeat().add(operation);
    context
        .events()
        .emit(
            grant.attempt() == 1 ? Event.Kind.CLAIMED : Event.Kind.TAKEN_OVER,
            claim.key(),
            grant.attempt());
    return operation;
  }

  private CompletableFuture<Decision> reconcile(
      ClaimedOperation operation, Lookup lookup, Look look) {
    StoreCaller caller = look.caller;
    CompletableFuture<Lookup.Finding> finding = caller.block(() -> find(operation, lookup));
    if (!finding.isDone()) {
      boolean unused = look.decision.await();
    }
    return Futures.then(
        caller.resumed(finding),
        (found, failure) ->
            found != null
                ? reconciled(operation, found, caller)
                : Futures.then(
                    operation.leave(Release.UNKNOWN, caller),
                    (ending, other) -> {
                      throw Futures.unchecked(failure);
                    }));
  }

  private static CompletableFuture<Decision> reconciled(
      ClaimedOperation operation, Lookup.Finding finding, StoreCaller caller) {
    if (finding instanceof Lookup.DidNotHappen) {
      return completedFuture(new Granted(operation));
    }
    if (!(finding instanceof Lookup.Happened happened)) {
      return unknown(operation, caller);
    }
    return Futures.then(
        operation.complete(happened.outcome(), caller),
        (ending, failure) -> {
          if (ending == null) {
            throw Futures.unchecked(failure);
          }
          return completedFuture(replay(ending));
        });
  }

  private static Decision replay(Ending ending) {
    if (ending instanceof Ending.Recorded recorded) {
      return new Replay(recorded.outcome());
    }
    return ending instanceof Ending.Superseded superseded
        ? new Replay(superseded.outcome())
        : new OutcomeUnknown();
  }

  /**
   * Asks a lookup; the finding is never {@link Lookup.Later}. After an {@code Error} of the lookup,
   * or a step that it tried to run, the operation is the caller's to end.
   */
  CompletableFuture<Lookup.Finding> find(ClaimedOperation operation, Lookup lookup) {
    Lookup.Finding finding;
    operation.lookedUp(true);
    try {
      finding = lookup.find(operation);
    } catch (StepInLookupException e) {
      throw e;
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      finding = new Lookup.CannotTell();
    }
    if (!(finding instanceof Lookup.Later later)) {
      return completedFuture(found(operation, finding));
    }
    CompletableFuture<Lookup.Finding> answer = new CompletableFuture<>();
    CompletionStage<Lookup.Finding> unused =
        later
            .finding()
            .whenComplete(
                (said, failure) -> {
                  if (failure != null
                      && Futures.unwrapped(failure) instanceof StepInLookupException e) {
                    answer.completeExceptionally(e);
                  } else {
                    answer.complete(found(operation, said));
                  }
                });
    return answer;
  }

  private Lookup.Finding found(ClaimedOperation operation, Lookup.@Nullable Finding finding) {
    operation.lookedUp(false);
    Lookup.Finding found =
        finding == null || finding instanceof Lookup.Later ? new Lookup.CannotTell() : finding;
    String detail = found.getClass().getSimpleName();
    context.events().emit(Event.Kind.RECONCILED, operation.key(), operation.attempt(), detail);
    return found;
  }

  private Decision judge(Claim claim, Entry entry) {
    OperationKey key = claim.key();
    if (!entry.fingerprint().isComparableTo(claim.fingerprint())) {
      context
          .events()
          .emit(Event.Kind.NOT_COMPARED, key, entry.attempt(), entry.fingerprint().recipe());
    } else if (!entry.fingerprint().equals(claim.fingerprint())) {
      context.events().emit(Event.Kind.MISMATCH, key, entry.attempt());
      return new Mismatch();
    }
    return switch (entry.state()) {
      case COMPLETED, FAILED -> {
        context.events().emit(Event.Kind.REPLAYED, key, entry.attempt());
        yield new Replay(entry.outcome().orElseThrow());
      }
      case IN_PROGRESS -> inProgress(key, entry.attempt(), retryAfter(entry));
      case UNKNOWN, RESUMABLE -> {
        context.events().emit(Event.Kind.PARKED, key, entry.attempt());
        yield new OutcomeUnknown();
      }
    };
  }

  private Decision inProgress(OperationKey key, int attempt, Duration retryAfter) {
    context.events().emit(Event.Kind.CONFLICT, key, attempt);
    return new InProgress(retryAfter);
  }

  /**
   * What has run for a while will run for about as long again; by the end of its lease it has ended
   * or lapsed.
   */
  private static Duration retryAfter(Entry entry) {
    Duration again = entry.age().compareTo(entry.leaseLeft()) < 0 ? entry.age() : entry.leaseLeft();
    return again.compareTo(SOON) < 0 ? SOON : again;
  }
}
