// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Outcome;
import io.retrysafe.store.Owner;
import java.sql.SQLException;
import java.time.Duration;

/** The question of a completion. */
record Completing(
    Owner owner,
    byte[] id,
    Outcome outcome,
    Duration retention,
    Questions questions,
    Arrayed arrayed)
    implements Call.Question<Boolean> {

  @Override
  public Reply<Boolean> ask(Session session) throws SQLException {
    return session.dialect().hasArrays()
        ? arrayed.complete(session, this)
        : questions.complete(session, owner, outcome, retention);
  }
}
