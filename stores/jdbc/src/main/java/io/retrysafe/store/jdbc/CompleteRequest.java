// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import java.sql.SQLException;
import java.time.Duration;

/** The question of a completion. */
record CompleteRequest(
    Owner owner, RowId id, Outcome outcome, Duration retention, RowStatements rowStatements)
    implements PendingRequest.Question<Boolean> {

  CompleteRequest {
    if (outcome.attributes().size() > Short.MAX_VALUE) {
      // Throws here, in the caller's thread: in a batch it would be the others' failure too.
      OutcomeFormat.write(outcome);
    }
  }

  @Override
  public AttemptResult<Boolean> ask(Session session) throws SQLException {
    return rowStatements.complete(session, owner, outcome, retention);
  }

  @Override
  public Scope scope() {
    return owner.key().scope();
  }

  @Override
  public long bytes() {
    return outcome.body().size();
  }
}
