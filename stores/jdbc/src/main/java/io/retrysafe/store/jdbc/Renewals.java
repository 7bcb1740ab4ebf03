// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.jdbc.RenewRequest.Renewed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Renews many leases in statements of bounded size. Each goes through the lane of its rows and is
 * next after the batch under way, however many calls wait there: it does not starve, and no other
 * call of this store uses its rows meanwhile.
 */
final class Renewals {
  /** Bounds how long a statement takes, and with it how long other calls of its lane wait. */
  private static final int LARGEST = 500;

  private static final long PAUSE = Duration.ofMillis(5).toNanos();

  private final RetryLoop retryLoop;
  private final RowStatements rowStatements;
  private final @Nullable ArrayStatements arrayStatements;

  Renewals(
      RetryLoop retryLoop, RowStatements rowStatements, @Nullable ArrayStatements arrayStatements) {
    this.retryLoop = retryLoop;
    this.rowStatements = rowStatements;
    this.arrayStatements = arrayStatements;
  }

  /** Returns the owners that still own their entries. Each statement may take the time-out. */
  Set<Owner> renew(Set<Owner> owners, Duration lease) {
    Set<Owner> renewed = new HashSet<>();
    List<RenewRequest.Lease> rows =
        owners.stream().map(owner -> new RenewRequest.Lease(owner, RowId.of(owner.key()))).toList();
    // A row that is in use may be so for long: all others come first.
    List<RenewRequest.Lease> inUse = once(rows, lease, renewed);
    long deadline = retryLoop.deadline();
    while (!inUse.isEmpty()) {
      if (RetryLoop.isOver(deadline)) {
        throw new NoAnswerException(
            inUse.size() + " of " + owners.size() + " entries are in use by other transactions",
            null);
      }
      LockSupport.parkNanos(this, PAUSE);
      inUse = once(inUse, lease, renewed);
    }
    return renewed;
  }

  /** Asks once for each row and returns those that are in use. */
  private List<RenewRequest.Lease> once(
      List<RenewRequest.Lease> rows, Duration lease, Set<Owner> renewed) {
    List<List<List<RenewRequest.Lease>>> lanes =
        retryLoop.byLane(rows, RenewRequest.Lease::id).stream().map(Renewals::parts).toList();
    List<RenewRequest.Lease> inUse = new ArrayList<>();
    int rounds = lanes.stream().mapToInt(List::size).max().orElse(0);
    for (int i = 0; i < rounds; i++) {
      int round = i;
      List<PendingRequest<Renewed>> calls =
          lanes.stream()
              .filter(parts -> parts.size() > round)
              .map(parts -> send(parts.get(round), lease))
              .toList();
      for (PendingRequest<Renewed> call : calls) {
        Renewed answer = retryLoop.await(call, null);
        renewed.addAll(answer.owners());
        inUse.addAll(answer.undecided());
      }
    }
    return inUse;
  }

  private PendingRequest<Renewed> send(List<RenewRequest.Lease> rows, Duration lease) {
    return retryLoop.sendFirst(
        rows.get(0).id(), new RenewRequest(rows, lease, rowStatements, arrayStatements));
  }

  private static List<List<RenewRequest.Lease>> parts(List<RenewRequest.Lease> rows) {
    List<RenewRequest.Lease> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparing(RenewRequest.Lease::id));
    List<List<RenewRequest.Lease>> parts = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i += LARGEST) {
      parts.add(List.copyOf(sorted.subList(i, Math.min(sorted.size(), i + LARGEST))));
    }
    return parts;
  }
}
