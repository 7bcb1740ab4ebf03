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
record Renewing(List<Row> rows, Duration lease, Questions questions, @Nullable Arrayed arrayed)
    implements Call.Question<Renewing.Renewed> {

  /** An owner and its row. */
  record Row(Owner owner, RowId id) {}

  /**
   * What became of them.
   *
   * @param owners those that still own their entries
   * @param undecided those that are in use: ask again
   */
  record Renewed(List<Owner> owners, List<Row> undecided) {}

  @Override
  public Reply<Renewed> ask(Session session) throws SQLException {
    List<Reply<Boolean>> replies =
        arrayed != null
            ? arrayed.renew(session, rows, lease)
            : questions.renewAll(session, rows, lease);
    List<Owner> renewed = new ArrayList<>();
    List<Row> undecided = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      if (!(replies.get(i) instanceof Reply.Answered<Boolean> answered)) {
        undecided.add(rows.get(i));
      } else if (answered.value()) {
        renewed.add(rows.get(i).owner());
      }
    }
    return new Reply.Answered<>(new Renewed(renewed, undecided));
  }
}
