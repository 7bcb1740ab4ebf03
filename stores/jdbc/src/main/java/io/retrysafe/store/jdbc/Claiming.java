// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The question of a claim.
 *
 * @param isAgain whether it was asked before, so that its key is hardly new
 */
record Claiming(
    Claim claim, RowId id, Questions questions, @Nullable Arrayed arrayed, boolean isAgain)
    implements Call.Question<ClaimResult> {

  Claiming(Claim claim, RowId id, Questions questions, @Nullable Arrayed arrayed) {
    this(claim, id, questions, arrayed, false);
  }

  @Override
  public Reply<ClaimResult> ask(Session session) throws SQLException {
    return ask(session, 1);
  }

  @Override
  public Reply<ClaimResult> ask(Session session, int among) throws SQLException {
    return arrayed != null
        ? arrayed.claim(session, this)
        : questions.claim(session, claim, id, LargeAnswers.share(among));
  }

  @Override
  public Reply<ClaimResult> askWhole(Session session, int limit) throws SQLException {
    return questions.held(session, claim, id, limit);
  }

  @Override
  public Scope scope() {
    return claim.key().scope();
  }

  @Override
  public Claiming again() {
    return new Claiming(claim, id, questions, arrayed, true);
  }
}
