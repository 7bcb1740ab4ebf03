// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Scope;
import io.retrysafe.internal.DurationChecks;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * The operations that an application recovers in the background, and how often.
 *
 * @param policy the policy of all operations in the owned scopes
 * @param reconcile that policy's recovery
 * @param isOwned accepts the scopes that the application owns
 */
public record RecoverySchedule(
    Duration every, Policy policy, Recovery.Reconcile reconcile, Predicate<Scope> isOwned) {

  /**
   * Returns the schedule for the operations of the scopes that {@code isOwned} accepts.
   *
   * @throws IllegalArgumentException if the policy does not reconcile
   */
  public static RecoverySchedule of(Duration every, Policy policy, Predicate<Scope> isOwned) {
    if (!(policy.recovery() instanceof Recovery.Reconcile reconcile)) {
      throw new IllegalArgumentException(
          "recoverEvery needs a policy whose recovery is Recovery.reconcile(lookup), was "
              + policy.recovery()
              + "; operations under any other recovery are not asked about");
    }
    return new RecoverySchedule(
        DurationChecks.positive("recoverEvery", every), policy, reconcile, isOwned);
  }
}
