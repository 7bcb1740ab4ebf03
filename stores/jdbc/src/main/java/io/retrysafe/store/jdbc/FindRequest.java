// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Entry;
import java.sql.SQLException;
import java.util.Optional;

/** The question of a find. */
record FindRequest(OperationKey key, RowStatements rowStatements)
    implements PendingRequest.Question<Optional<Entry>> {

  @Override
  public AttemptResult<Optional<Entry>> ask(Session session) throws SQLException {
    return askWhole(session, LargeAnswers.share(1));
  }

  @Override
  public AttemptResult<Optional<Entry>> askWhole(Session session, int limit) throws SQLException {
    return rowStatements.find(session, key, limit);
  }
}
