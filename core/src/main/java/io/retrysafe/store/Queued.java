// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Outcome;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A store that answers the calls of the request path without holding the caller's thread: they wait
 * in a queue of its own. They are the calls of {@link Store} with the same names, and end as those
 * do, exceptions and time-outs included.
 *
 * <p>Stages are completed in a thread that others wait for, so whatever depends on them and takes
 * time goes elsewhere.
 */
public interface Queued {

  /**
   * Claims as {@link Store#claim} does.
   *
   * @param blocking where the store goes on if the first try decides nothing, and may wait
   */
  CompletionStage<ClaimResult> claim(Claim claim, Executor blocking);

  /**
   * Completes as {@link Store#complete} does.
   *
   * @param blocking where the store goes on if the first try decides nothing, and may wait
   */
  CompletionStage<Boolean> complete(
      Owner owner, Outcome outcome, Duration retention, Executor blocking);

  /**
   * Releases as {@link Store#release} does.
   *
   * @param blocking where the store goes on if the first try decides nothing, and may wait
   */
  CompletionStage<Boolean> release(Owner owner, Release how, Executor blocking);
}
