// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** The question of a claim. */
record Claiming(Claim claim, RowId id, Questions questions, @Nullable Arrayed arrayed)
    implements Call.Question<ClaimResult> {

  @Override
  public Reply<ClaimResult> ask(Session session) throws SQLException {
    return arrayed != null ? arrayed.claim(session, this) : questions.claim(session, claim, id);
  }
}
