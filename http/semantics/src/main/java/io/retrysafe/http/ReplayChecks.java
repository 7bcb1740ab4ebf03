// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Asks a check about those decisions that are replays. */
final class ReplayChecks {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.http");
  static final ReplayCheck ALLOW_ALL =
      replay -> CompletableFuture.completedFuture(Optional.empty());

  private ReplayChecks() {}

  /** Returns what is done after the check; at once for everything but a replay. */
  static CompletionStage<BeginResult> checked(Plan.ReadBody plan, BeginResult result) {
    if (!(result instanceof BeginResult.Answered answered)
        || answered.answer().source() == Answer.Source.PROBLEM) {
      return CompletableFuture.completedFuture(result);
    }
    return plan.check()
        .check(new Replay(plan, answered.answer()))
        .handle(
            (refusal, failure) -> {
              if (failure == null) {
                return refusal.<BeginResult>map(BeginResult.Answered::new).orElse(result);
              }
              LOG.log(
                  System.Logger.Level.WARNING,
                  "the check failed that decides whether a caller may see a recorded answer of "
                      + plan.route(),
                  failure);
              return new BeginResult.Answered(plan.route().answers().authorizerUnavailable());
            });
  }
}
