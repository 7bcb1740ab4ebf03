// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Outcome;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The question of a completion. */
record Completing(Owner owner, RowId id, Outcome outcome, Duration retention, Questions questions)
    implements Call.Question<Boolean> {
  private static final int LARGEST_IN_BATCH = 64 * 1024;

  /** Returns whether it would hold the others of a batch up. */
  boolean isLarge() {
    return OutcomeFormat.isLargerThan(outcome, LARGEST_IN_BATCH);
  }

  @Override
  public Reply<Boolean> ask(Session session) throws SQLException {
    return questions.complete(session, owner, outcome, retention);
  }

  /** Puts many questions as one batch of the driver. */
  static List<Reply<Boolean>> ask(Session session, List<Completing> all) throws SQLException {
    return all.get(0).questions.completeAll(session, all);
  }
}
