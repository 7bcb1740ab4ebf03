// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Claim;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import java.time.Duration;
import java.util.Set;

/**
 * A claim that was asked again because the store was silent. The question that got no answer may
 * still be applied, after everything that followed and until the store's own time-out: then the key
 * would be claimed by nobody, and unknown for ever although nobody ran it.
 *
 * @param heard when the last question was given up, by the monotonic clock
 */
record Echo(Parts parts, Claim claim, long heard) {

  /**
   * Undoes the claim when no question can land any more, if one did. Only for a claim that was not
   * granted, or that the store has ended since. Also when that time is over already: the process
   * may have stood still.
   */
  void undo() {
    long passed = parts.seam().nanos() - heard;
    Duration left = parts.store().profile().callTimeout().minusNanos(passed);
    parts
        .background()
        .persist(
            left.isNegative() ? Duration.ZERO : left,
            this::undone,
            answer -> parts.waiters().wake(claim.key()));
  }

  /**
   * Releases the claim only if it runs again, which renewing tells: what its owner left, unknown
   * perhaps, must not be freed.
   */
  private boolean undone() {
    Owner owner = claim.owner();
    return parts.store().renew(Set.of(owner), claim.lease()).contains(owner)
        && parts.store().release(owner, LeaveAs.FREE);
  }
}
