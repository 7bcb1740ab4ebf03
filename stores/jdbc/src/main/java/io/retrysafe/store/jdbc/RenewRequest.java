// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.Owner;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The question of a renewal: of some owners, sorted by their rows, so that the statement is
 * bounded.
 */
record RenewRequest(
    List<Lease> rows,
    Duration lease,
    RowStatements rowStatements,
    @Nullable ArrayStatements arrayStatements)
    implements PendingRequest.Question<RenewRequest.Renewed> {

  /** An owner and its row. */
  record Lease(Owner owner, RowId id) {}

  /**
   * What became of them.
   *
   * @param owners those that still own their entries
   * @param undecided those that are in use: ask again
   */
  record Renewed(List<Owner> owners, List<Lease> undecided) {}

  @Override
  public AttemptResult<Renewed> ask(Session session) throws SQLException {
    List<AttemptResult<Boolean>> replies =
        arrayStatements != null
            ? arrayStatements.renew(session, rows, lease)
            : rowStatements.renewAll(session, rows, lease);
    List<Owner> renewed = new ArrayList<>();
    List<Lease> undecided = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      if (!(replies.get(i) instanceof AttemptResult.Answered<Boolean> answered)) {
        undecided.add(rows.get(i));
      } else if (answered.value()) {
        renewed.add(rows.get(i).owner());
      }
    }
    return new AttemptResult.Answered<>(new Renewed(renewed, undecided));
  }
}
