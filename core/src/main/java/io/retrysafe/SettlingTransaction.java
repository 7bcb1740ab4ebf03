// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Owner;
import java.time.Duration;

/** Settles an operation in its owner's stead, with the effect in one step. */
@FunctionalInterface
public interface SettlingTransaction {

  /**
   * Settles the owner's entry, as {@link io.retrysafe.store.Store#complete} does.
   *
   * @return whether it is settled now; false if the entry is not the owner's any more, and then
   *     nothing of the effect is left either
   * @throws io.retrysafe.store.NoAnswerException if nobody knows
   * @throws RuntimeException if it is not settled and nothing of the effect is left
   */
  boolean settle(Owner owner, Outcome outcome, Duration retention);
}
