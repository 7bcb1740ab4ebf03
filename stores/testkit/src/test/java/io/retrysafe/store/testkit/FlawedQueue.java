// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Release;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** A queue that answers at once and makes one mistake. */
final class FlawedQueue implements Queued {
  /** A mistake, and the rule that it breaks. */
  enum Flaw {
    NONE("C-113"),
    CLAIMS_ELSEWHERE("C-113"),
    COMPLETES_NOTHING("C-113"),
    COMPLETES_FOR_ANY_TOKEN("C-113"),
    RELEASES_NOTHING("C-114"),
    FREES_WHATEVER_IT_IS_TOLD("C-114");

    final String rule;

    Flaw(String rule) {
      this.rule = rule;
    }
  }

  private final MemoryStore store;
  private final MemoryStore elsewhere = MemoryStore.create();
  private final Flaw flaw;

  FlawedQueue(MemoryStore store, Flaw flaw) {
    this.store = store;
    this.flaw = flaw;
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return completedFuture((flaw == Flaw.CLAIMS_ELSEWHERE ? elsewhere : store).claim(claim));
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    if (flaw == Flaw.COMPLETES_NOTHING) {
      return completedFuture(true);
    }
    Owner settled =
        flaw == Flaw.COMPLETES_FOR_ANY_TOKEN
            ? new Owner(owner.key(), store.find(owner.key()).orElseThrow().token())
            : owner;
    return completedFuture(store.complete(settled, outcome, retention));
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, Release how, Executor blocking) {
    return switch (flaw) {
      case RELEASES_NOTHING -> completedFuture(true);
      case FREES_WHATEVER_IT_IS_TOLD -> completedFuture(store.release(owner, Release.FREE));
      default -> completedFuture(store.release(owner, how));
    };
  }
}
