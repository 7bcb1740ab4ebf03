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
record ClaimRequest(
    Claim claim,
    RowId id,
    RowStatements rowStatements,
    @Nullable ArrayStatements arrayStatements,
    boolean isAgain)
    implements PendingRequest.Question<ClaimResult> {

  ClaimRequest(
      Claim claim,
      RowId id,
      RowStatements rowStatements,
      @Nullable ArrayStatements arrayStatements) {
    this(claim, id, rowStatements, arrayStatements, false);
  }

  @Override
  public AttemptResult<ClaimResult> ask(Session session) throws SQLException {
    return ask(session, 1);
  }

  @Override
  public AttemptResult<ClaimResult> ask(Session session, int among) throws SQLException {
    return arrayStatements != null
        ? arrayStatements.claim(session, this)
        : rowStatements.claim(session, claim, id, LargeAnswers.share(among));
  }

  @Override
  public AttemptResult<ClaimResult> askWhole(Session session, int limit) throws SQLException {
    return rowStatements.held(session, claim, id, limit);
  }

  @Override
  public Scope scope() {
    return claim.key().scope();
  }

  @Override
  public ClaimRequest again() {
    return new ClaimRequest(claim, id, rowStatements, arrayStatements, true);
  }
}
