// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Event;
import io.retrysafe.store.Claim;

/**
 * A claim that was asked again because the store was silent. The question that got no answer may
 * still be applied, after everything that followed and until the store's own time-out: then the key
 * would be claimed by nobody, and unknown for ever although nobody ran it.
 *
 * @param heard when the last question was given up, by the monotonic clock
 */
record StrayClaim(EngineContext context, Claim claim, long heard) {

  /**
   * Undoes the claim when no question can land any more, if one did. Only for a claim that was not
   * granted, or that the store has ended since. Also when that time is over already: the process
   * may have stood still.
   */
  void undo() {
    undo(false);
  }

  /** Undoes a claim of which nobody knows whether it was granted, now and once more as above. */
  void giveUp() {
    undo(true);
  }

  private void undo(boolean atOnce) {
    if (!context.pendingWrites().undo(claim, heard, atOnce)) {
      context.events().emit(Event.Kind.DROPPED, claim.key(), 0, "a claim that nobody uses");
    }
  }
}
