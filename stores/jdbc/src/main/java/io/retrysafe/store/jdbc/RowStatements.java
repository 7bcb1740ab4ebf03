// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.StoreException;
import io.retrysafe.store.jdbc.AttemptResult.Answered;
import io.retrysafe.store.jdbc.AttemptResult.Undecided;
import io.retrysafe.store.jdbc.Request.ClaimRequest;
import io.retrysafe.store.jdbc.Request.CompleteRequest;
import io.retrysafe.store.jdbc.Request.OtherRequest;
import io.retrysafe.store.jdbc.Request.ReleaseRequest;
import io.retrysafe.store.jdbc.Request.RenewRequest;
import io.retrysafe.store.jdbc.Request.StepRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Each request as statements about its row, and many requests as one transaction: one commit.
 * Completions are one batch of the driver, releases another; the others go one by one, because each
 * has a row to answer with.
 */
final class RowStatements implements BatchStatements {
  private final Statements statements;
  private final EntryStatements entries;

  RowStatements(Statements statements, EntryStatements entries) {
    this.statements = statements;
    this.entries = entries;
  }

  @Override
  public void run(Session session, List<PendingRequest<?>> requests) throws SQLException {
    List<PendingRequest<Boolean>> renewals = PendingRequest.of(requests, RenewRequest.class);
    List<PendingRequest<?>> others = requests;
    if (!renewals.isEmpty()) {
      renew(session, renewals);
      others = new ArrayList<>(requests);
      others.removeIf(each -> each.request() instanceof RenewRequest);
    }
    if (others.size() == 1) {
      runOne(session, others.get(0));
    } else if (!others.isEmpty()) {
      runAll(session, others);
    }
  }

  private <T> void runOne(Session session, PendingRequest<T> pending) throws SQLException {
    pending.reply(session.alone(own -> run(own, pending.request(), LargeAnswers.share(1))));
  }

  private void runAll(Session session, List<PendingRequest<?>> requests) throws SQLException {
    try {
      runAll(session, requests, true);
    } catch (SQLException e) {
      if (!SqlErrorKind.isOfOneCall(e, session.dialect())) {
        throw e;
      }
      runAll(session, requests, false);
    }
  }

  /**
   * @param isGrouped whether requests of a kind share a batch of the driver, which does not tell
   *     which of them failed
   */
  private void runAll(Session session, List<PendingRequest<?>> requests, boolean isGrouped)
      throws SQLException {
    List<Runnable> replies = new ArrayList<>();
    session.atomically(
        own -> {
          List<PendingRequest<?>> rest = new ArrayList<>(requests);
          if (isGrouped) {
            group(own, "complete", CompleteRequest.class, rest, replies);
            group(own, "release", ReleaseRequest.class, rest, replies);
          }
          for (PendingRequest<?> each : rest) {
            replies.add(attempt(own, each, LargeAnswers.share(requests.size())));
          }
          return requests.size();
        });
    // Only now is it durable.
    replies.forEach(Runnable::run);
  }

  /** Runs requests of a kind as one batch of the driver, unless it is only one. */
  private void group(
      Session session,
      String statement,
      Class<? extends Request<Boolean>> kind,
      List<PendingRequest<?>> rest,
      List<Runnable> replies)
      throws SQLException {
    List<PendingRequest<Boolean>> group = PendingRequest.of(rest, kind);
    if (group.size() < 2) {
      return;
    }
    rest.removeIf(each -> kind.isInstance(each.request()));
    List<AttemptResult<Boolean>> results = updateAll(session, statement, group);
    replies.add(() -> reply(group, results));
  }

  private static void reply(
      List<PendingRequest<Boolean>> requests, List<AttemptResult<Boolean>> results) {
    for (int i = 0; i < requests.size(); i++) {
      requests.get(i).reply(results.get(i));
    }
  }

  /** Runs one request; if that fails by itself, the transaction is as it was before. */
  private <T> Runnable attempt(Session session, PendingRequest<T> pending, int share)
      throws SQLException {
    try {
      AttemptResult<T> result = run(session, pending.request(), share);
      return () -> pending.reply(result);
    } catch (SQLException e) {
      if (!SqlErrorKind.isOfOneCall(e, session.dialect())) {
        throw e;
      }
      return () -> pending.reply(new AttemptResult.Refused<>(e));
    } catch (StoreException | IllegalArgumentException e) {
      return () -> pending.reply(new AttemptResult.Failed<>(e));
    }
  }

  @SuppressWarnings("unchecked") // each kind of request has its kind of answer
  private <T> AttemptResult<T> run(Session session, Request<T> request, int share)
      throws SQLException {
    if (request instanceof OtherRequest<T> other) {
      return other.work().on(session);
    }
    AttemptResult<?> result =
        request instanceof ClaimRequest claim
            ? claim(session, claim, share)
            : request instanceof StepRequest step
                ? step(session, step)
                : matched(session, name(request), parameters(request));
    return (AttemptResult<T>) result;
  }

  private AttemptResult<ClaimResult> claim(Session session, ClaimRequest request, int share)
      throws SQLException {
    Dialect dialect = session.dialect();
    Parameters parameters = entries.claim(request, share);
    if (dialect.readsBack()) {
      session.update(statements.get("claim"), parameters);
    }
    AttemptResult<ClaimResult> granted =
        session.query(
            statements.get(dialect.readsBack() ? "claimed" : "claim"),
            parameters,
            rows -> {
              if (!rows.next()) {
                return new Undecided<>();
              }
              boolean hasEntry = rows.getMetaData().getColumnCount() > 4;
              return hasEntry && !isGranted(rows, request.claim())
                  ? EntryColumns.held(rows, 5, request.claim(), share)
                  : new Answered<>(EntryColumns.granted(rows, 1));
            });
    return granted instanceof Answered || !dialect.hasOneWriter()
        ? granted
        : entries.held(session, request, share);
  }

  /** A lease that was over when it was granted is not granted; the claim, sent again, renews it. */
  private static boolean isGranted(ResultSet rows, Claim claim) throws SQLException {
    return rows.getLong(11) > rows.getLong(13)
        && rows.getInt(9) == EntryColumns.RUNNING
        && Arrays.equals(rows.getBytes(5), EntryColumns.token(claim.token()))
        && Arrays.equals(rows.getBytes(6), EntryColumns.fingerprint(claim.fingerprint()));
  }

  AttemptResult<Boolean> step(Session session, StepRequest request) throws SQLException {
    Parameters parameters =
        EntryStatements.owned(request.owner(), request.id())
            .text("mark", StepsFormat.mark(request.name()))
            .text("step", StepsFormat.write(request.name(), request.result()))
            .integer("size", request.size())
            .integer("largest", EntryStatements.LARGEST_STEPS);
    if (session.update(statements.get("step"), parameters) > 0) {
      return new Answered<>(true);
    }
    return session.query(
        statements.get("fits"),
        parameters,
        rows -> EntryStatements.unwrittenStep(rows, request.owner().key(), request.size()));
  }

  /** Renews in transactions of their own; a row that another transaction uses is undecided. */
  private void renew(Session session, List<PendingRequest<Boolean>> renewals) throws SQLException {
    try {
      reply(renewals, session.atomically(own -> updateAll(own, "renew", renewals)));
      return;
    } catch (SQLException e) {
      if (SqlErrorKind.of(e, session.dialect()) != SqlErrorKind.LOCKED) {
        throw e;
      }
    }
    if (renewals.size() == 1) {
      renewals.get(0).reply(new Undecided<>());
      return;
    }
    int middle = renewals.size() / 2;
    renew(session, renewals.subList(0, middle));
    renew(session, renewals.subList(middle, renewals.size()));
  }

  /**
   * Runs a statement for all requests in one batch of the driver. A driver that does not count the
   * rows of each is asked again for that one, in the same transaction: later the entry may have
   * expired or be forgotten.
   */
  private List<AttemptResult<Boolean>> updateAll(
      Session session, String name, List<PendingRequest<Boolean>> requests) throws SQLException {
    List<Parameters> rows = requests.stream().map(each -> parameters(each.request())).toList();
    List<AttemptResult<Boolean>> results = new ArrayList<>();
    int[] matched = session.updateAll(statements.get(name), rows);
    for (int i = 0; i < matched.length; i++) {
      results.add(
          matched[i] < 0 ? matched(session, name, rows.get(i)) : new Answered<>(matched[i] > 0));
    }
    return results;
  }

  private AttemptResult<Boolean> matched(Session session, String name, Parameters parameters)
      throws SQLException {
    return new Answered<>(session.update(statements.get(name), parameters) > 0);
  }

  private static String name(Request<?> request) {
    return request instanceof CompleteRequest ? "complete" : "release";
  }

  private Parameters parameters(Request<?> request) {
    if (request instanceof CompleteRequest complete) {
      return EntryStatements.completion(complete);
    }
    if (request instanceof RenewRequest renew) {
      return entries.withLease(EntryStatements.owned(renew.owner(), renew.id()), renew.lease());
    }
    ReleaseRequest release = (ReleaseRequest) request;
    return entries
        .withRetention(EntryStatements.owned(release.owner(), release.id()))
        .integer("how", EntryColumns.phase(release.how()));
  }
}
