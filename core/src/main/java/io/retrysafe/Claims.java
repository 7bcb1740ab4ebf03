// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.Decision.Granted;
import io.retrysafe.Decision.InProgress;
import io.retrysafe.Decision.Mismatch;
import io.retrysafe.Decision.OutcomeUnknown;
import io.retrysafe.Decision.Replay;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Previous;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.TakeOver;
import java.time.Duration;

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
    return recovery instanceof Recovery.Reconcile ? TakeOver.ALWAYS : TakeOver.NONE;
  }

  Decision decide(Claim claim, Policy policy) {
    ClaimResult result = ask(claim);
    if (result instanceof ClaimResult.Granted grant) {
      return granted(claim, policy, grant);
    }
    return result instanceof ClaimResult.Held held
        ? judge(claim, held.entry())
        : inProgress(claim.key(), 0, SOON);
  }

  private ClaimResult ask(Claim claim) {
    try {
      return parts.asking().claim(parts.store(), claim);
    } catch (StoreException e) {
      parts.events().emit(Event.Kind.UNAVAILABLE, claim.key(), 0, "claiming: " + e);
      if (e instanceof NoAnswerException) {
        giveUp(claim.owner());
      }
      throw new StoreUnavailableException(claim.key(), false, e);
    }
  }

  /**
   * Releases a claim of which nobody knows whether it was granted, and once more after the time in
   * which it can still land: otherwise a key that nobody runs would stay unknown.
   */
  void giveUp(Owner owner) {
    release(
        owner,
        Duration.ZERO,
        () -> release(owner, parts.store().profile().callTimeout(), () -> {}));
  }

  private void release(Owner owner, Duration delay, Runnable then) {
    parts
        .background()
        .persist(
            delay,
            () -> parts.store().release(owner, LeaveAs.FREE),
            answer -> {
              parts.waiters().wake(owner.key());
              then.run();
            });
  }

  private Decision granted(Claim claim, Policy policy, ClaimResult.Granted grant) {
    Operation operation = open(claim, policy, grant);
    boolean isDoubtful = grant.previous() == Previous.UNKNOWN;
    return isDoubtful && policy.recovery() instanceof Recovery.Reconcile reconcile
        ? reconcile(operation, reconcile.lookup())
        : new Granted(operation);
  }

  Operation open(Claim claim, Policy policy, ClaimResult.Granted grant) {
    Operation operation = new Operation(parts, claim.owner(), claim.fingerprint(), policy, grant);
    parts.heartbeat().add(operation);
    parts
        .events()
        .emit(
            grant.attempt() == 1 ? Event.Kind.CLAIMED : Event.Kind.TAKEN_OVER,
            claim.key(),
            grant.attempt());
    return operation;
  }

  private Decision reconcile(Operation operation, Lookup lookup) {
    Lookup.Finding finding = find(operation, lookup);
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

  Lookup.Finding find(Operation operation, Lookup lookup) {
    Lookup.Finding finding;
    try {
      finding = lookup.find(operation);
    } catch (Exception e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      finding = new Lookup.CannotTell();
    }
    String word = finding.getClass().getSimpleName();
    parts.events().emit(Event.Kind.RECONCILED, operation.key(), operation.attempt(), word);
    return finding;
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
