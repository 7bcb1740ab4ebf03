// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Queued;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** A store that passes every call on to another one, and has a queue if that has one. */
class PassingQueue extends PassingStore implements Queued {
  private final Optional<Queued> queue;

  PassingQueue(Store next) {
    super(next);
    this.queue = next.capability(Queued.class);
  }

  @Override
  public <T> Optional<T> capability(Class<T> type) {
    return type == Queued.class && queue.isEmpty() ? Optional.empty() : super.capability(type);
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return queue.orElseThrow().claim(claim, blocking);
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return queue.orElseThrow().complete(owner, outcome, retention, blocking);
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, LeaveAs how, Executor blocking) {
    return queue.orElseThrow().release(owner, how, blocking);
  }
}
