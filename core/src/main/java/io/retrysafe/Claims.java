// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.retrysafe.Decision.Granted;
import io.retrysafe.Decision.InProgress;
import io.retrysafe.Decision.Mismatch;
import io.retrysafe.Decision.OutcomeUnknown;
import io.retrysafe.Decision.Replay;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Previous;
import io.retrysafe.store.Queued;
import io.retrysafe.store.State;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.TakeOver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Claims operations and judges what the store answers: fingerprint before state, and a rejected
 * caller changes nothing.
 */
final class Claims {
  static final Duration SOON = Duration.ofSeconds(1);

  private final Parts parts;

  Claims(Parts parts) {
    this.parts = parts;
  }

  Claim claim(OperationKey key, Fingerprint fingerprint, Policy policy) {
    return new Claim(
        key, fingerprint, parts.seam().token(), policy.lease(), takeOver(policy.recovery()));
  }

  private static TakeOver takeOver(Recovery recovery) {
    if (recovery instanceof Recovery.Rerun rerun) {
      return new TakeOver(rerun.attempts(), rerun.within());
    }
    boolean isAskedAtOnce =
        recovery instanceof Recovery.Reconcile reconcile && reconcile.after().isZero();
    return isAskedAtOnce ? TakeOver.ALWAYS : TakeOver.NONE;
  }

  /** Decides at once, unless a lookup takes its time. Whoever cancels that gives up the claim. */
  CompletableFuture<Decision> decide(Claim claim, Policy policy) {
    long start = parts.seam().nanos();
    return decide(claim, policy, start, askOrGiveUp(start, claim));
  }

  /**
   * Decides without holding a thread for the store: the claim waits in the store's queue, and what
   * its answer leads to is done in the loop.
   */
  CompletionStage<Decision> decide(Claim claim, Policy policy, Queued queue, EventLoop loop) {
    long start = parts.seam().nanos();
    CompletableFuture<Decision> decided = new CompletableFuture<>();
    Silence silence = new Silence(claim);
    CompletableFuture<ClaimResult> unused =
        parts
            .asking()
            .claimLater(() -> queue.claim(claim, loop.blocking()), silence, loop.itself())
            .whenComplete(
                (result, failure) ->
                    Futures.complete(
                        decided,
                        loop.itself(),
                        () -> decide(claim, policy, start, silence.answer(result, failure))));
    return decided;
  }

  private CompletableFuture<Decision> decide(
      Claim claim, Policy policy, long start, Answer answer) {
    if (answer.result instanceof ClaimResult.Granted grant) {
      return granted(open(claim, policy, grant, answer.echo), grant);
    }
    if (answer.result instanceof ClaimResult.Held held) {
      boolean isTime =
          policy.recovery() instanceof Recovery.Reconcile reconcile
              && !reconcile.after().isZero()
              && held.entry().fingerprint().equals(claim.fingerprint())
              && hasBeenUnknown(held.entry(), reconcile.after());
      return isTime
          ? takeOver(held.entry(), claim, policy, start)
          : completedFuture(judge(claim, held.entry()));
    }
    return completedFuture(inProgress(claim.key(), 0, SOON));
  }

  private Answer askOrGiveUp(long start, Claim claim) {
    try {
      return ask(start, claim);
    } catch (StoreException e) {
      throw unavailable(claim, e);
    }
  }

  private StoreUnavailableException unavailable(Claim claim, StoreException silence) {
    parts.events().emit(Event.Kind.UNAVAILABLE, claim.key(), 0, "claiming: " + silence);
    return new StoreUnavailableException(claim.key(), false, silence);
  }

  /** Returns whether the entry has been unknown for {@code after}, on the store's clock. */
  static boolean hasBeenUnknown(Entry entry, Duration after) {
    Duration since = Duration.between(entry.times().leaseUntil(), entry.times().readAt());
    return entry.state() == State.UNKNOWN && since.compareTo(after) >= 0;
  }

  /**
   * Takes over an entry that was seen to be unknown for long enough. Between that look and the
   * grant nobody else may have run it: a grant in between counts as an attempt, and an owner that
   * came back renewed for a whole lease, so a grant within a lease of the look is of what was seen.
   */
  private CompletableFuture<Decision> takeOver(Entry seen, Claim first, Policy policy, long start) {
    Claim claim =
        new Claim(
            first.key(),
            first.fingerprint(),
            parts.seam().token(),
            policy.lease(),
            TakeOver.ALWAYS);
    Answer answer = askOrGiveUp(start, claim);
    if (answer.result instanceof ClaimResult.Held held) {
      return completedFuture(judge(claim, held.entry()));
    }
    if (!(answer.result instanceof ClaimResult.Granted grant)) {
      return completedFuture(inProgress(claim.key(), 0, SOON));
    }
    Operation operation = open(claim, policy, grant, answer.echo);
    Duration between = Duration.ofNanos(parts.seam().nanos() - start);
    if (grant.attempt() == seen.attempt() + 1 && between.compareTo(policy.lease()) < 0) {
      return granted(operation, grant);
    }
    operation.unknown();
    return completedFuture(new OutcomeUnknown());
  }

  /**
   * What the store answered to a claim.
   *
   * @param echo what may be left of it, if it was asked more than once
   */
  record Answer(ClaimResult result, Optional<Echo> echo) {}

  /** Asks for a claim. If it is not granted, nothing of it is left behind. */
  Answer ask(Claim claim) {
    return ask(parts.seam().nanos(), claim);
  }

  private Answer ask(long start, Claim claim) {
    Silence silence = new Silence(claim);
    ClaimResult result;
    try {
      result = parts.asking().claim(start, () -> parts.store().claim(claim), silence);
    } catch (StoreException e) {
      silence.giveUp();
      throw e;
    }
    return silence.answer(result);
  }

  /** Remembers which questions for a claim got no answer. */
  private final class Silence implements Runnable {
    private final Claim claim;
    private volatile @Nullable Echo heard;

    Silence(Claim claim) {
      this.claim = claim;
    }

    @Override
    public void run() {
      heard = new Echo(parts, claim, parts.seam().nanos());
    }

    void giveUp() {
      Echo echo = heard;
      if (echo != null) {
        echo.giveUp();
      }
    }

    Answer answer(ClaimResult result) {
      Optional<Echo> echo = Optional.ofNullable(heard);
      if (!(result instanceof ClaimResult.Granted)) {
        echo.ifPresent(Echo::undo);
      }
      return new Answer(result, echo);
    }

    Answer answer(@Nullable ClaimResult result, @Nullable Throwable failure) {
      if (result != null) {
        return answer(result);
      }
      giveUp();
      if (failure instanceof StoreException e) {
        throw unavailable(claim, e);
      }
      throw Futures.unchecked(failure);
    }
  }

  private CompletableFuture<Decision> granted(Operation operation, ClaimResult.Granted grant) {
    boolean isDoubtful = grant.previous() == Previous.UNKNOWN && !operation.steps().isFailed();
    return isDoubtful && operation.policy().recovery() instanceof Recovery.Reconcile reconcile
        ? reconcile(operation, reconcile.lookup())
        : completedFuture(new Granted(operation));
  }

  Operation open(Claim claim, Policy policy, ClaimResult.Granted grant, Optional<Echo> echo) {
    Operation operation = new Operation(parts, claim, policy, grant, echo);
    parts.heartbeat().add(operation);
    parts
        .events()
        .emit(
            grant.attempt() == 1 ? Event.Kind.CLAIMED : Event.Kind.TAKEN_OVER,
            claim.key(),
            grant.attempt());
    return operation;
  }

  private CompletableFuture<Decision> reconcile(Operation operation, Lookup lookup) {
    CompletableFuture<Lookup.Finding> finding;
    try {
      finding = find(operation, lookup);
    } catch (StepInLookupException | Error e) {
      operation.unknown();
      throw e;
    }
    if (finding.isDone() && !finding.isCompletedExceptionally()) {
      return completedFuture(reconciled(operation, finding.join()));
    }
    CompletableFuture<Decision> decided = new CompletableFuture<>();
    CompletableFuture<Lookup.Finding> unused =
        finding.whenComplete(
            (found, failure) -> {
              try {
                if (failure != null) {
                  operation.unknown();
                  throw failure;
                }
                Decision decision = reconciled(operation, found);
                // Whoever waited may have left: then nobody would run what was granted.
                if (!decided.complete(decision) && decision instanceof Granted) {
                  operation.release();
                }
              } catch (Throwable e) {
                decided.completeExceptionally(e);
              }
            });
    return decided;
  }

  private static Decision reconciled(Operation operation, Lookup.Finding finding) {
    if (finding instanceof Lookup.DidNotHappen) {
      return new Granted(operation);
    }
    if (finding instanceof Lookup.Happened happened) {
      Ending ending = operation.complete(happened.outcome());
      if (ending instanceof Ending.Recorded recorded) {
        return new Replay(recorded.outcome());
      }
      return ending instanceof Ending.Superseded superseded
          ? new Replay(superseded.outcome())
          : new OutcomeUnknown();
    }
    operation.unknown();
    return new OutcomeUnknown();
  }

  /**
   * Asks a lookup; the finding is never {@link Lookup.Later}. After an {@code Error} of the lookup,
   * or a step that it tried to run, the operation is the caller's to end.
   */
  CompletableFuture<Lookup.Finding> find(Operation operation, Lookup lookup) {
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
                  if (failure != null && unwrapped(failure) instanceof StepInLookupException e) {
                    answer.completeExceptionally(e);
                  } else {
                    answer.complete(found(operation, said));
                  }
                });
    return answer;
  }

  private static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure.getCause();
    return failure instanceof CompletionException && cause != null ? cause : failure;
  }

  private Lookup.Finding found(Operation operation, Lookup.@Nullable Finding finding) {
    operation.lookedUp(false);
    Lookup.Finding found =
        finding == null || finding instanceof Lookup.Later ? new Lookup.CannotTell() : finding;
    String word = found.getClass().getSimpleName();
    parts.events().emit(Event.Kind.RECONCILED, operation.key(), operation.attempt(), word);
    return found;
  }

  private Decision judge(Claim claim, Entry entry) {
    OperationKey key = claim.key();
    if (!entry.fingerprint().isComparableTo(claim.fingerprint())) {
      parts
          .events()
          .emit(Event.Kind.NOT_COMPARED, key, entry.attempt(), entry.fingerprint().recipe());
    } else if (!entry.fingerprint().equals(claim.fingerprint())) {
      parts.events().emit(Event.Kind.MISMATCH, key, entry.attempt());
      return new Mismatch();
    }
    return switch (entry.state()) {
      case COMPLETED, FAILED -> {
        parts.events().emit(Event.Kind.REPLAYED, key, entry.attempt());
        yield new Replay(entry.outcome().orElseThrow());
      }
      case IN_PROGRESS -> inProgress(key, entry.attempt(), retryAfter(entry));
      case UNKNOWN, RESUMABLE -> {
        parts.events().emit(Event.Kind.PARKED, key, entry.attempt());
        yield new OutcomeUnknown();
      }
    };
  }

  private Decision inProgress(OperationKey key, int attempt, Duration retryAfter) {
    parts.events().emit(Event.Kind.CONFLICT, key, attempt);
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
