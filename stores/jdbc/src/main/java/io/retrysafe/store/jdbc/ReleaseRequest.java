// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Scope;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import java.sql.SQLException;

/** The question of a release. */
record ReleaseRequest(Owner owner, RowId id, Release how, RowStatements rowStatements)
    implements PendingRequest.Question<Boolean> {

  @Override
  public AttemptResult<Boolean> ask(Session session) throws SQLException {
    return rowStatements.release(session, owner, how);
  }

  @Override
  public Scope scope() {
    return owner.key().scope();
  }
}
