// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Token;
import io.retrysafe.store.jdbc.AttemptResult.Answered;
import io.retrysafe.store.jdbc.AttemptResult.Undecided;
import io.retrysafe.store.jdbc.Request.ClaimRequest;
import io.retrysafe.store.jdbc.Request.CompleteRequest;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;

/** Statements about one entry that are sent by themselves, the same in all dialects. */
final class EntryStatements {
  static final int LARGEST_STEPS = 64 * 1024;

  /** How long a freed row is remembered, so that a repeated release is true. */
  private static final Duration FREED_FOR = Duration.ofSeconds(10);

  private final Statements statements;
  private final long unsettled;

  EntryStatements(Statements statements, Duration unsettledRetention) {
    this.statements = statements;
    this.unsettled = Micros.of(unsettledRetention);
  }

  /** Returns how long unsettled entries live past their lease, in microseconds. */
  long unsettled() {
    return unsettled;
  }

  /** Returns the parameters of everything that names an entry by its owner. */
  static Parameters owned(Owner owner, RowId id) {
    return new Parameters()
        .bytes("id", id.bytes())
        .bytes("token", EntryColumns.token(owner.token()));
  }

  Parameters withRetention(Parameters parameters) {
    return parameters.number("unsettled", unsettled).number("freed", Micros.of(FREED_FOR));
  }

  Parameters withLease(Parameters parameters, Duration lease) {
    long micros = Micros.of(lease);
    return parameters.number("lease", micros).number("lease_and_unsettled", micros + unsettled);
  }

  /** Returns the parameters of a claim that is decided by itself. */
  Parameters claim(ClaimRequest request, int share) {
    Claim claim = request.claim();
    OperationKey key = claim.key();
    return withLease(withRetention(new Parameters()), claim.lease())
        .bytes("id", request.id().bytes())
        .text("tenant", key.scope().account())
        .text("endpoint", key.scope().endpoint())
        .text("parts", EntryColumns.endpointParts(key.scope()))
        .text("key", key.value())
        .bytes("fingerprint", EntryColumns.fingerprint(claim.fingerprint()))
        .bytes("token", EntryColumns.token(claim.token()))
        .number("attempts", claim.takeOver().attempts())
        .number("within", Micros.of(claim.takeOver().within()))
        .integer("share", share);
  }

  static Parameters completion(CompleteRequest request) {
    Outcome outcome = request.outcome();
    return owned(request.owner(), request.id())
        .bytes("outcome", OutcomeFormat.write(outcome))
        .integer("status", outcome.status())
        .integer("phase", EntryColumns.phase(outcome))
        .number("retention", Micros.of(request.retention()));
  }

  /** Reads the entry that holds a claim off. */
  AttemptResult<ClaimResult> held(Session session, ClaimRequest request, int share)
      throws SQLException {
    return session.query(
        statements.get("held"),
        new Parameters().bytes("id", request.id().bytes()).integer("share", share),
        rows ->
            rows.next() ? EntryColumns.held(rows, 1, request.claim(), share) : new Undecided<>());
  }

  AttemptResult<Optional<Entry>> find(Session session, OperationKey key, int share)
      throws SQLException {
    return session.query(
        statements.get("find"),
        new Parameters().bytes("id", RowId.of(key).bytes()).integer("share", share),
        rows -> {
          if (!rows.next()) {
            return new Answered<>(Optional.empty());
          }
          return EntryColumns.isWithoutAnswer(rows, 1, share)
              ? new AttemptResult.Large<>()
              : new Answered<>(Optional.ofNullable(EntryColumns.entry(rows, 1, key)));
        });
  }

  /** Completes on a connection that is not the store's. */
  boolean completeJoined(Session session, CompleteRequest request) throws SQLException {
    return session.update(statements.get("joined_complete"), completion(request)) > 0;
  }

  /** Returns whether the owner's entry is settled, once no transaction has it any more. */
  boolean isSettled(Session session, Owner owner) throws SQLException {
    return session.query(
        statements.get("verdict"),
        owned(owner, RowId.of(owner.key())),
        rows ->
            rows.next()
                && EntryColumns.token(rows.getBytes(1)).equals(owner.token())
                && rows.getInt(2) >= EntryColumns.COMPLETED
                && rows.getInt(2) < EntryColumns.FREED);
  }

  /**
   * Answers a step that is too large by itself, without sending it. A name that is there already is
   * true as ever.
   */
  AttemptResult<Boolean> oversizedStep(Session session, Owner owner, String name, int size)
      throws SQLException {
    if (StepsFormat.size(name, Bytes.EMPTY) > LARGEST_STEPS) {
      throw tooManySteps(owner.key(), size);
    }
    return session.query(
        statements.get("fits"),
        owned(owner, RowId.of(owner.key())).text("mark", StepsFormat.mark(name)),
        rows -> unwrittenStep(rows, owner.key(), size));
  }

  /** Says why a step was not written: the update and this row are read at two moments. */
  static AttemptResult<Boolean> unwrittenStep(ResultSet rows, OperationKey key, int size)
      throws SQLException {
    if (!rows.next()) {
      return new Answered<>(false);
    }
    boolean isWritten = rows.getInt(2) == 1;
    if (isWritten) {
      return new Answered<>(true);
    }
    int all = rows.getInt(1) + size;
    if (all <= LARGEST_STEPS) {
      return new Undecided<>();
    }
    throw tooManySteps(key, all);
  }

  static RefusedCallException tooManySteps(OperationKey key, int size) {
    return new RefusedCallException(
        "the steps of %s would take %d bytes, at most %d fit".formatted(key, size, LARGEST_STEPS),
        null);
  }

  /** Keeps a secret unless there is one, and reads the one that is kept. */
  AttemptResult<Bytes> keep(Session session, String name, Bytes value) throws SQLException {
    Parameters parameters = new Parameters().text("name", name).bytes("secret", value.toArray());
    session.update(statements.get("keep_secret"), parameters);
    return session.query(
        statements.get("secret"),
        parameters,
        rows -> rows.next() ? new Answered<>(Bytes.wrap(rows.getBytes(1))) : new Undecided<>());
  }

  AttemptResult<Resolved> resolve(Session session, Entry seen, Token token, Resolution word)
      throws SQLException {
    Outcome outcome = word instanceof Resolution.Done done ? done.outcome() : null;
    Duration retention = word instanceof Resolution.Done done ? done.retention() : Duration.ZERO;
    boolean forget = word instanceof Resolution.Forget;
    Parameters parameters =
        withRetention(owned(new Owner(seen.key(), seen.token()), RowId.of(seen.key())))
            .number("fence", seen.fence())
            .bytes("word", EntryColumns.token(token))
            .bytes("outcome", outcome == null ? null : OutcomeFormat.write(outcome))
            .integer("status", outcome == null ? 0 : outcome.status())
            .integer("phase", outcome == null ? EntryColumns.FREED : EntryColumns.phase(outcome))
            .number("retention", Micros.of(retention))
            .integer("forget", forget ? 1 : 0);
    if (session.update(statements.get("resolve"), parameters) > 0) {
      return new Answered<>(Resolved.APPLIED);
    }
    return session.query(
        statements.get("resolved"),
        parameters,
        rows ->
            rows.next() ? unresolved(rows, seen, token, forget) : new Answered<>(Resolved.CHANGED));
  }

  private static AttemptResult<Resolved> unresolved(
      ResultSet rows, Entry seen, Token token, boolean forget) throws SQLException {
    Token now = EntryColumns.token(rows.getBytes(1));
    boolean isThere = rows.getInt(4) == 1;
    if (now.equals(token) && isThere) {
      return new Answered<>(Resolved.APPLIED);
    }
    int phase = rows.getInt(3);
    boolean fits = isThere && phase < (forget ? EntryColumns.FREED : EntryColumns.COMPLETED);
    if (!now.equals(seen.token()) || rows.getLong(2) != seen.fence() || !fits) {
      return new Answered<>(Resolved.CHANGED);
    }
    return rows.getInt(5) == 1 ? new Answered<>(Resolved.LEASED) : new Undecided<>();
  }
}
