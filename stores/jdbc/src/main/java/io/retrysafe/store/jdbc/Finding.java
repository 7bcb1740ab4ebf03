// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Entry;
import java.sql.SQLException;
import java.util.Optional;

/** The question of a find. */
record Finding(OperationKey key, Questions questions) implements Call.Question<Optional<Entry>> {

  @Override
  public Reply<Optional<Entry>> ask(Session session) throws SQLException {
    return askWhole(session, LargeAnswers.share(1));
  }

  @Override
  public Reply<Optional<Entry>> askWhole(Session session, int limit) throws SQLException {
    return questions.find(session, key, limit);
  }
}
