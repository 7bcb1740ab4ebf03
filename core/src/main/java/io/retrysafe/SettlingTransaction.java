// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Owner;
import java.time.Duration;

/** A transaction of the caller that settles an operation and commits its effect in one step. */
@FunctionalInterface
public interface SettlingTransaction {

  /**
   * Settles the owner's entry, as {@link io.retrysafe.store.Store#complete} does.
   *
   * @return whether the operation is settled; false if the entry is no longer the owner's, and then
   *     the transaction was rolled back
   * @throws io.retrysafe.store.NoAnswerException if the commit got no answer: it may have happened
   * @throws RuntimeException if the operation is not settled and the transaction was rolled back
   */
  boolean settle(Owner owner, Outcome outcome, Duration retention);
}
