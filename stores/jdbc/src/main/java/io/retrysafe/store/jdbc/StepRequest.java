// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.Scope;
import io.retrysafe.store.Owner;
import java.sql.SQLException;

/** The question of a step. */
record StepRequest(Owner owner, RowId id, String name, Bytes result, RowStatements rowStatements)
    implements PendingRequest.Question<Boolean> {

  @Override
  public AttemptResult<Boolean> ask(Session session) throws SQLException {
    return rowStatements.step(session, owner, name, result);
  }

  @Override
  public Scope scope() {
    return owner.key().scope();
  }

  /** Steps are written in hexadecimal. */
  @Override
  public long bytes() {
    return 2L * StepsFormat.size(name, result);
  }
}
