// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.Scope;
import io.retrysafe.store.Owner;
import java.sql.SQLException;

/** The question of a step. */
record Stepping(Owner owner, RowId id, String name, Bytes result, Questions questions)
    implements Call.Question<Boolean> {

  @Override
  public Reply<Boolean> ask(Session session) throws SQLException {
    return questions.step(session, owner, name, result);
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
