// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.jdbc.AttemptResult.Undecided;
import io.retrysafe.store.jdbc.Request.RenewRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Renews many leases, some at a time. They are next in their lanes after the batch under way,
 * however many requests wait there; those go out before the next renewals.
 */
final class Renewals {
  /** Bounds how long other requests wait for a batch of renewals. */
  private static final int AT_ONCE = 500;

  private static final long PAUSE = Duration.ofMillis(5).toNanos();

  private final RequestQueue queue;
  private final RetryLoop retryLoop;

  Renewals(RequestQueue queue, RetryLoop retryLoop) {
    this.queue = queue;
    this.retryLoop = retryLoop;
  }

  /** Returns the owners that still own their entries. Each part may take the time-out. */
  Set<Owner> renew(Set<Owner> owners, Duration lease) {
    Set<Owner> renewed = new HashSet<>();
    List<RenewRequest> requests =
        owners.stream().map(owner -> new RenewRequest(owner, lease)).toList();
    // A row that is in use may be so for long: all others come first.
    List<RenewRequest> inUse = once(requests, renewed);
    long deadline = retryLoop.deadline();
    while (!inUse.isEmpty()) {
      if (RetryLoop.isOver(deadline)) {
        throw new NoAnswerException(
            inUse.size() + " of " + owners.size() + " entries are in use by other transactions",
            null);
      }
      LockSupport.parkNanos(this, PAUSE);
      inUse = once(inUse, renewed);
    }
    return renewed;
  }

  /** Sends each request once and returns those whose rows are in use. */
  private List<RenewRequest> once(List<RenewRequest> requests, Set<Owner> renewed) {
    List<RenewRequest> inUse = new ArrayList<>();
    for (int i = 0; i < requests.size(); i += AT_ONCE) {
      List<RenewRequest> part = requests.subList(i, Math.min(requests.size(), i + AT_ONCE));
      for (PendingRequest<Boolean> sent : queue.submitFirst(part)) {
        RenewRequest request = (RenewRequest) sent.request();
        if (sent.await() instanceof Undecided) {
          inUse.add(request);
        } else if (queue.await(sent, null)) {
          renewed.add(request.owner());
        }
      }
    }
    return inUse;
  }
}
