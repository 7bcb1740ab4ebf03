// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import java.sql.SQLException;

/** The question of a claim. */
record Claiming(Claim claim, byte[] id, Questions questions, Arrayed arrayed)
    implements Call.Question<ClaimResult> {

  @Override
  public Reply<ClaimResult> ask(Session session) throws SQLException {
    return session.dialect().hasArrays()
        ? arrayed.claim(session, this)
        : questions.claim(session, claim, id);
  }
}
