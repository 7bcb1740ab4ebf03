// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Event;
import io.retrysafe.store.Claim;

/**
 * A claim that was repeated because the store did not answer. The first call may still be applied,
 * after everything that followed and until the store's own time-out. Then the key would stay
 * claimed without an owner, and become unknown although no attempt ran.
 *
 * @param heard when the last call was given up, by the monotonic clock
 */
record StrayClaim(EngineContext context, Claim claim, long heard) {

  /**
   * Undoes the claim when none of its calls can be applied any more. Only for a claim that was not
   * granted, or that the store has ended since. Also if that time is over already: the process may
   * have been paused.
   */
  void undo() {
    undo(false);
  }

  /** Undoes a claim that may have been granted, now and once more as above. */
  void giveUp() {
    undo(true);
  }

  private void undo(boolean atOnce) {
    if (!context.pendingWrites().undo(claim, heard, atOnce)) {
      context.events().emit(Event.Kind.DROPPED, claim.key(), 0, "an unused claim");
    }
  }
}
