// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Queued;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/** The store as one process sees it that asks through a queue: answers come by themselves. */
final class QueuedWire extends Wire implements Queued {
  QueuedWire(Truth truth, Machine machine) {
    super(truth, machine);
  }

  @Override
  public CompletionStage<ClaimResult> claim(Claim claim, Executor blocking) {
    return later(asked(claim), claiming(claim));
  }

  @Override
  public CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking) {
    return later(what("complete", owner), () -> truth().complete(owner, outcome, retention));
  }

  @Override
  public CompletionStage<Boolean> release(Owner owner, LeaveAs how, Executor blocking) {
    return later(what("release " + how, owner), () -> truth().release(owner, how));
  }
}
