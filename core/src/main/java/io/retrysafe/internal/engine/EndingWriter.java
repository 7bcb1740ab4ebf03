// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.store.Claim;
import io.retrysafe.store.Entry;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.StoreException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Writes the end of an operation to the store, its outcome or its release. If the store does not
 * answer in time, writing goes on in the background.
 */
final class EndingWriter {
  private final EngineContext context;
  private final Owner owner;
  private final Fingerprint fingerprint;
  private final Policy policy;
  private final int attempt;
  private final Optional<StrayClaim> strayClaim;
  private volatile boolean isLost;
  private volatile boolean isRecorded;

  EndingWriter(
      EngineContext context,
      Claim claim,
      Policy policy,
      int attempt,
      Optional<StrayClaim> strayClaim) {
    this.context = context;
    this.owner = claim.owner();
    this.fingerprint = claim.fingerprint();
    this.policy = policy;
    this.attempt = attempt;
    this.strayClaim = strayClaim;
  }

  boolean isLost() {
    return isLost;
  }

  /** Notes that another attempt owns the operation now. */
  void lose() {
    isLost = true;
    emit(Event.Kind.LOST_CLAIM, "");
  }

  /** Returns the outcome as the store can keep it: without its answer if that is too large. */
  Outcome fitting(Outcome outcome) {
    boolean fits =
        outcome.body().size() <= policy.largestAnswer()
            && !OutcomeFormat.isLargerThan(outcome, context.store().profile().largestOutcome());
    return fits ? outcome : outcome.withoutAnswer();
  }

  CompletableFuture<Ending> complete(Outcome kept, StoreCaller caller) {
    long asked = context.runtime().nanos();
    return Futures.then(
        caller.complete(asked, owner, kept, policy.retention()),
        (mine, failure) -> {
          if (mine != null) {
            return mine ? completedFuture(recorded(kept)) : superseded(asked, caller);
          }
          if (failure instanceof StoreException silence) {
            return completedFuture(pending(kept, silence));
          }
          throw Futures.unchecked(failure);
        });
  }

  /**
   * Goes on recording in the background, and keeps the lease until then, so that no other attempt
   * runs again what is done. If there is no room for the outcome, it is recorded without its
   * answer; if there is no room for that either, the outcome is unknown.
   *
   * @throws StoreUnavailableException if recording goes on
   */
  private Ending pending(Outcome kept, StoreException silence) {
    emit(Event.Kind.UNAVAILABLE, "completing: " + silence);
    boolean isPending = recordLater(kept);
    if (!isPending && kept.isKept()) {
      isPending = recordLater(kept.withoutAnswer());
      if (isPending) {
        emit(Event.Kind.DROPPED, "the answer");
      }
    }
    if (isPending) {
      throw new StoreUnavailableException(key(), true, silence);
    }
    over(false);
    emit(Event.Kind.DROPPED, "the outcome");
    return new Ending.Lost();
  }

  private boolean record(Outcome outcome) {
    return context.store().complete(owner, outcome, policy.retention());
  }

  /** Records in the background; returns false if there is no room for {@code outcome}. */
  private boolean recordLater(Outcome outcome) {
    return context
        .pendingWrites()
        .record(
            OutcomeFormat.size(outcome),
            () -> record(outcome),
            answer -> {
              if (answer.orElse(false)) {
                recorded(outcome);
              } else {
                over(answer.isPresent());
                emit(Event.Kind.LOST_CLAIM, "while its record was pending");
              }
            });
  }

  Ending recorded(Outcome outcome) {
    isRecorded = true;
    over(true);
    context.waiters().wake(key());
    emit(Event.Kind.COMPLETED, outcome.kind());
    return new Ending.Recorded(outcome);
  }

  /**
   * Returns what is recorded of an operation whose claim was lost.
   *
   * @param start when the deadline began within which the store answers
   */
  CompletableFuture<Ending> superseded(long start, StoreCaller caller) {
    over(true);
    if (!isLost) {
      lose();
    }
    return Futures.then(
        caller.find(start, key()),
        (entry, failure) -> {
          if (entry == null && !(failure instanceof StoreException)) {
            throw Futures.unchecked(failure);
          }
          return completedFuture(recordedByOthers(entry == null ? Optional.empty() : entry));
        });
  }

  private Ending recordedByOthers(Optional<Entry> entry) {
    return entry
        .filter(found -> found.fingerprint().equals(fingerprint))
        .flatMap(Entry::outcome)
        .<Ending>map(Ending.Superseded::new)
        .orElseGet(Ending.Lost::new);
  }

  CompletableFuture<Ending> release(Release wanted, StoreCaller caller) {
    Release how = isUnsafe(wanted) ? Release.UNKNOWN : wanted;
    return Futures.then(
        caller.release(context.runtime().nanos(), owner, how),
        (mine, failure) -> {
          if (mine != null) {
            return completedFuture(left(how, Optional.of(mine)));
          }
          if (failure instanceof StoreException silence) {
            return completedFuture(leaveLater(how, silence));
          }
          throw Futures.unchecked(failure);
        });
  }

  /**
   * Returns whether a repeated release could free what another attempt left unknown. A claim that
   * was asked twice may land once more, after another attempt, and take over its unknown entry; a
   * repetition of this release that lands after that would make the entry resumable, and the next
   * attempt would run without a look-up. If recovery takes unknown operations over, it can decide
   * about this one too.
   */
  private boolean isUnsafe(Release wanted) {
    return wanted == Release.RESUMABLE
        && strayClaim.isPresent()
        && !(policy.recovery() instanceof Recovery.Park);
  }

  /** Goes on releasing in the background. */
  private Ending leaveLater(Release how, StoreException silence) {
    emit(Event.Kind.UNAVAILABLE, "releasing: " + silence);
    boolean isPending =
        context
            .pendingWrites()
            .release(() -> context.store().release(owner, how), answer -> left(how, answer));
    if (isPending) {
      return new Ending.Left(how);
    }
    over(false);
    emit(Event.Kind.DROPPED, "a release as " + how);
    return new Ending.Lost();
  }

  private Ending left(Release how, Optional<Boolean> answer) {
    over(answer.isPresent());
    context.waiters().wake(key());
    if (answer.orElse(false)) {
      emit(Event.Kind.RELEASED, how);
      return new Ending.Left(how);
    }
    // A late completion may have overtaken the release: then nothing was lost.
    if (!isRecorded) {
      emit(Event.Kind.LOST_CLAIM, "");
    }
    return new Ending.Lost();
  }

  /**
   * Stops renewing the claim. If the store confirmed the end, also undoes its stray calls; without
   * that, a stray call may be the claim itself.
   */
  private void over(boolean isEnded) {
    stopRenewing();
    if (isEnded) {
      strayClaim.ifPresent(StrayClaim::undo);
    }
  }

  void stopRenewing() {
    context.heartbeat().remove(owner, policy.lease());
  }

  private OperationKey key() {
    return owner.key();
  }

  private void emit(Event.Kind kind, Object detail) {
    context.events().emit(kind, owner.key(), attempt, detail);
  }
}
