// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import java.time.Duration;

/**
 * A claim that was asked again because the store was silent. The question that got no answer may
 * still be applied, after everything that followed and until the store's own time-out: then the key
 * would be claimed by nobody, and unknown for ever although nobody ran it.
 *
 * @param heard when the last question was given up, by the monotonic clock
 */
record Echo(Parts parts, Owner owner, long heard) {

  /**
   * Releases the claim once more when no question can land any more. Also when that time is over
   * already: the process may have stood still since the store ended the claim.
   */
  void release(LeaveAs how) {
    long passed = parts.seam().nanos() - heard;
    Duration left = parts.store().profile().callTimeout().minusNanos(passed);
    parts
        .background()
        .persist(
            left.isNegative() ? Duration.ZERO : left,
            () -> parts.store().release(owner, how),
            answer -> parts.waiters().wake(owner.key()));
  }
}
