// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.jdbc.Renewing.Renewed;
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

  private final Asking asking;
  private final Questions questions;
  private final @Nullable Arrayed arrayed;

  Renewals(Asking asking, Questions questions, @Nullable Arrayed arrayed) {
    this.asking = asking;
    this.questions = questions;
    this.arrayed = arrayed;
  }

  /** Returns the owners that still own their entries. Each statement may take the time-out. */
  Set<Owner> renew(Set<Owner> owners, Duration lease) {
    Set<Owner> renewed = new HashSet<>();
    List<Renewing.Row> rows =
        owners.stream().map(owner -> new Renewing.Row(owner, RowId.of(owner.key()))).toList();
    // A row that is in use may be so for long: all others come first.
    List<Renewing.Row> inUse = once(rows, lease, renewed);
    long deadline = asking.deadline();
    while (!inUse.isEmpty()) {
      if (Asking.isOver(deadline)) {
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
  private List<Renewing.Row> once(List<Renewing.Row> rows, Duration lease, Set<Owner> renewed) {
    List<List<List<Renewing.Row>>> lanes =
        asking.byLane(rows, Renewing.Row::id).stream().map(Renewals::parts).toList();
    List<Renewing.Row> inUse = new ArrayList<>();
    int rounds = lanes.stream().mapToInt(List::size).max().orElse(0);
    for (int i = 0; i < rounds; i++) {
      int round = i;
      List<Call<Renewed>> calls =
          lanes.stream()
              .filter(parts -> parts.size() > round)
              .map(parts -> send(parts.get(round), lease))
              .toList();
      for (Call<Renewed> call : calls) {
        Renewed answer = asking.await(call, null);
        renewed.addAll(answer.owners());
        inUse.addAll(answer.undecided());
      }
    }
    return inUse;
  }

  private Call<Renewed> send(List<Renewing.Row> rows, Duration lease) {
    return asking.sendFirst(rows.get(0).id(), new Renewing(rows, lease, questions, arrayed));
  }

  private static List<List<Renewing.Row>> parts(List<Renewing.Row> rows) {
    List<Renewing.Row> sorted = new ArrayList<>(rows);
    sorted.sort(Comparator.comparing(Renewing.Row::id));
    List<List<Renewing.Row>> parts = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i += LARGEST) {
      parts.add(List.copyOf(sorted.subList(i, Math.min(sorted.size(), i + LARGEST))));
    }
    return parts;
  }
}
