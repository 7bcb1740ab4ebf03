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
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Token;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The calls of the store as questions, each one statement or two that decide one row. */
final class RowStatements {
  static final int LARGEST_STEPS = 64 * 1024;

  /** How long a freed row is remembered, so that a repeated release is true. */
  private static final Duration FREED_FOR = Duration.ofSeconds(10);

  private final Statements statements;
  private final long unsettled;

  RowStatements(Statements statements, Duration unsettledRetention) {
    this.statements = statements;
    this.unsettled = Micros.of(unsettledRetention);
  }

  /** A claim, for databases that decide it with one row's parameters. */
  AttemptResult<ClaimResult> claim(Session session, Claim claim, RowId id, int share)
      throws SQLException {
    Parameters parameters = claiming(claim, id).integer("share", share);
    if (session.dialect().readsBack()) {
      session.update(statements.get("claim"), parameters);
    }
    AttemptResult<ClaimResult> granted =
        session.query(
            statements.get(session.dialect().readsBack() ? "claimed" : "claim"),
            parameters,
            rows -> {
              if (!rows.next()) {
                return new AttemptResult.Undecided<>();
              }
              boolean hasEntry = rows.getMetaData().getColumnCount() > 4;
              return hasEntry && !isGranted(rows, claim)
                  ? held(rows, 5, claim)
                  : new AttemptResult.Answered<>(granted(rows, 1));
            });
    if (granted instanceof AttemptResult.Answered || !session.dialect().hasOneWriter()) {
      return granted;
    }
    return held(session, claim, id, share);
  }

  /** Reads the entry that holds a claim off. */
  AttemptResult<ClaimResult> held(Session session, Claim claim, RowId id, int share)
      throws SQLException {
    return session.query(
        statements.get("held"),
        new Parameters().bytes("id", id.bytes()).integer("share", share),
        rows -> {
          if (!rows.next()) {
            return new AttemptResult.Undecided<>();
          }
          return share == Integer.MAX_VALUE ? whole(rows, 1, claim) : held(rows, 1, claim);
        });
  }

  /** Returns the parameters of a claim that is decided by itself. */
  Parameters claiming(Claim claim, RowId id) {
    long lease = Micros.of(claim.lease());
    OperationKey key = claim.key();
    return new Parameters()
        .bytes("id", id.bytes())
        .text("tenant", key.scope().account())
        .text("endpoint", key.scope().endpoint())
        .text("parts", EntryColumns.endpointParts(key.scope()))
        .text("key", key.value())
        .bytes("fingerprint", EntryColumns.fingerprint(claim.fingerprint()))
        .bytes("token", EntryColumns.token(claim.token()))
        .number("lease", lease)
        .number("unsettled", unsettled)
        .number("lease_and_unsettled", lease + unsettled)
        .number("attempts", claim.takeOver().attempts())
        .number("within", Micros.of(claim.takeOver().within()));
  }

  /**
   * A lease that was over when it was granted is not granted; the claim, asked again, renews it.
   */
  private static boolean isGranted(ResultSet rows, Claim claim) throws SQLException {
    return rows.getLong(11) > rows.getLong(13)
        && rows.getInt(9) == EntryColumns.RUNNING
        && Arrays.equals(rows.getBytes(5), EntryColumns.token(claim.token()))
        && Arrays.equals(rows.getBytes(6), EntryColumns.fingerprint(claim.fingerprint()));
  }

  /** Reads fence, attempt, previous and steps. */
  static ClaimResult granted(ResultSet rows, int at) throws SQLException {
    return new ClaimResult.Granted(
        rows.getInt(at + 1),
        rows.getLong(at),
        previous(rows.getInt(at + 2)),
        StepsFormat.read(rows.getString(at + 3)));
  }

  private static PreviousPhase previous(int code) {
    return switch (code) {
      case 0 -> PreviousPhase.ABSENT;
      case EntryColumns.RESUMABLE -> PreviousPhase.RESUMABLE;
      default -> PreviousPhase.UNKNOWN;
    };
  }

  /**
   * Reads the entry that holds the claim off. One that the claim should have been granted over is
   * not what the claim was decided on.
   */
  static AttemptResult<ClaimResult> held(ResultSet rows, int at, Claim claim) throws SQLException {
    return EntryColumns.isWithoutAnswer(rows, at)
        ? new AttemptResult.Large<>()
        : whole(rows, at, claim);
  }

  private static AttemptResult<ClaimResult> whole(ResultSet rows, int at, Claim claim)
      throws SQLException {
    Entry entry = EntryColumns.entry(rows, at, claim.key());
    if (entry == null) {
      boolean isLate = EntryColumns.token(rows.getBytes(at)).equals(claim.token());
      return isLate
          ? new AttemptResult.Answered<>(new ClaimResult.Contended())
          : new AttemptResult.Undecided<>();
    }
    return claim.isGrantedOver(entry)
        ? new AttemptResult.Undecided<>()
        : new AttemptResult.Answered<>(new ClaimResult.Held(entry));
  }

  AttemptResult<Boolean> complete(Session session, Owner owner, Outcome outcome, Duration retention)
      throws SQLException {
    return complete(session, "complete", owner, outcome, retention);
  }

  /** Completes on a connection that is not the store's. */
  boolean completeJoined(Session session, Owner owner, Outcome outcome, Duration retention)
      throws SQLException {
    return complete(session, "joined_complete", owner, outcome, retention).value();
  }

  /** Returns whether the owner's entry is settled, once no transaction has it any more. */
  boolean verdict(Session session, Owner owner) throws SQLException {
    return session.query(
        statements.get("verdict"),
        of(owner),
        rows ->
            rows.next()
                && EntryColumns.token(rows.getBytes(1)).equals(owner.token())
                && rows.getInt(2) >= EntryColumns.COMPLETED
                && rows.getInt(2) < EntryColumns.FREED);
  }

  /** Completes all in one batch of the driver. */
  List<AttemptResult<Boolean>> completeAll(Session session, List<CompleteRequest> all)
      throws SQLException {
    List<Parameters> rows =
        all.stream()
            .map(each -> completion(each.owner(), each.outcome(), each.retention()))
            .toList();
    return updateAll(session, "complete", rows);
  }

  /** Releases all in one batch of the driver. */
  List<AttemptResult<Boolean>> releaseAll(Session session, List<ReleaseRequest> all)
      throws SQLException {
    return updateAll(
        session, "release", all.stream().map(each -> releasing(each.owner(), each.how())).toList());
  }

  /**
   * Renews all in one batch of the driver and one transaction; a row that is in use is undecided.
   */
  List<AttemptResult<Boolean>> renewAll(
      Session session, List<RenewRequest.Lease> rows, Duration lease) throws SQLException {
    List<Parameters> all =
        rows.stream().map(row -> leased(of(row.owner(), row.id()), lease)).toList();
    try {
      return session.atomically(own -> updateAll(own, "renew", all));
    } catch (SQLException e) {
      if (SqlErrorKind.of(e, session.dialect()) != SqlErrorKind.LOCKED
          || session.isInTransaction()) {
        throw e;
      }
    }
    if (rows.size() == 1) {
      return List.of(new AttemptResult.Undecided<>());
    }
    int middle = rows.size() / 2;
    List<AttemptResult<Boolean>> replies =
        new ArrayList<>(renewAll(session, rows.subList(0, middle), lease));
    replies.addAll(renewAll(session, rows.subList(middle, rows.size()), lease));
    return replies;
  }

  /**
   * Runs a statement for all rows in one batch of the driver. A driver that does not count the rows
   * of each is asked again for that one, in the same transaction: later the entry may have expired
   * or be forgotten.
   */
  private List<AttemptResult<Boolean>> updateAll(
      Session session, String name, List<Parameters> rows) throws SQLException {
    List<AttemptResult<Boolean>> replies = new ArrayList<>();
    int[] matched = session.updateAll(statements.get(name), rows);
    for (int i = 0; i < matched.length; i++) {
      replies.add(
          matched[i] < 0
              ? matched(session, name, rows.get(i))
              : new AttemptResult.Answered<>(matched[i] > 0));
    }
    return replies;
  }

  private AttemptResult.Answered<Boolean> complete(
      Session session, String statement, Owner owner, Outcome outcome, Duration retention)
      throws SQLException {
    return matched(session, statement, completion(owner, outcome, retention));
  }

  private static Parameters completion(Owner owner, Outcome outcome, Duration retention) {
    return of(owner)
        .bytes("outcome", OutcomeFormat.write(outcome))
        .integer("status", outcome.status())
        .integer("phase", EntryColumns.phase(outcome))
        .number("retention", Micros.of(retention));
  }

  AttemptResult<Boolean> release(Session session, Owner owner, Release how) throws SQLException {
    return matched(session, "release", releasing(owner, how));
  }

  private Parameters releasing(Owner owner, Release how) {
    return released(of(owner)).integer("how", EntryColumns.phase(how));
  }

  Parameters released(Parameters parameters) {
    return parameters.number("unsettled", unsettled).number("freed", Micros.of(FREED_FOR));
  }

  Parameters leased(Parameters parameters, Duration lease) {
    long micros = Micros.of(lease);
    return parameters.number("lease", micros).number("lease_and_unsettled", micros + unsettled);
  }

  long unsettled() {
    return unsettled;
  }

  AttemptResult<Boolean> step(Session session, Owner owner, String name, Bytes result)
      throws SQLException {
    int size = StepsFormat.size(name, result);
    Parameters parameters =
        of(owner)
            .text("mark", StepsFormat.mark(name))
            .text("step", StepsFormat.write(name, result))
            .integer("size", size)
            .integer("largest", LARGEST_STEPS);
    if (session.update(statements.get("step"), parameters) > 0) {
      return new AttemptResult.Answered<>(true);
    }
    return session.query(
        statements.get("fits"), parameters, rows -> unwritten(rows, owner.key(), size));
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
        of(owner).text("mark", StepsFormat.mark(name)),
        rows -> unwritten(rows, owner.key(), size));
  }

  /** Says why a step was not written: the update and this row are read at two moments. */
  private static AttemptResult<Boolean> unwritten(ResultSet rows, OperationKey key, int size)
      throws SQLException {
    if (!rows.next()) {
      return new AttemptResult.Answered<>(false);
    }
    boolean isWritten = rows.getInt(2) == 1;
    if (isWritten) {
      return new AttemptResult.Answered<>(true);
    }
    int all = rows.getInt(1) + size;
    if (all <= LARGEST_STEPS) {
      return new AttemptResult.Undecided<>();
    }
    throw tooManySteps(key, all);
  }

  static RefusedCallException tooManySteps(OperationKey key, int size) {
    return new RefusedCallException(
        "the steps of %s would take %d bytes, at most %d fit".formatted(key, size, LARGEST_STEPS),
        null);
  }

  AttemptResult<Optional<Entry>> find(Session session, OperationKey key, int share)
      throws SQLException {
    return session.query(
        statements.get("find"),
        new Parameters().bytes("id", RowId.of(key).bytes()).integer("share", share),
        rows -> {
          if (!rows.next()) {
            return new AttemptResult.Answered<>(Optional.empty());
          }
          return share < Integer.MAX_VALUE && EntryColumns.isWithoutAnswer(rows, 1)
              ? new AttemptResult.Large<>()
              : new AttemptResult.Answered<>(Optional.ofNullable(EntryColumns.entry(rows, 1, key)));
        });
  }

  /** Keeps a secret unless there is one, and reads the one that is kept. */
  AttemptResult<Bytes> keep(Session session, String name, Bytes value) throws SQLException {
    Parameters parameters = new Parameters().text("name", name).bytes("secret", value.toArray());
    session.update(statements.get("keep_secret"), parameters);
    return session.query(
        statements.get("secret"),
        parameters,
        rows ->
            rows.next()
                ? new AttemptResult.Answered<>(Bytes.wrap(rows.getBytes(1)))
                : new AttemptResult.Undecided<>());
  }

  AttemptResult<Resolved> resolve(Session session, Entry seen, Token token, Resolution word)
      throws SQLException {
    Outcome outcome = word instanceof Resolution.Done done ? done.outcome() : null;
    Duration retention = word instanceof Resolution.Done done ? done.retention() : Duration.ZERO;
    boolean forget = word instanceof Resolution.Forget;
    Parameters parameters =
        of(new Owner(seen.key(), seen.token()))
            .number("fence", seen.fence())
            .bytes("word", EntryColumns.token(token))
            .bytes("outcome", outcome == null ? null : OutcomeFormat.write(outcome))
            .integer("status", outcome == null ? 0 : outcome.status())
            .integer("phase", outcome == null ? EntryColumns.FREED : EntryColumns.phase(outcome))
            .number("retention", Micros.of(retention))
            .number("unsettled", unsettled)
            .number("freed", Micros.of(FREED_FOR))
            .integer("forget", forget ? 1 : 0);
    if (session.update(statements.get("resolve"), parameters) > 0) {
      return new AttemptResult.Answered<>(Resolved.APPLIED);
    }
    return session.query(
        statements.get("resolved"),
        parameters,
        rows -> rows.next() ? unresolved(rows, seen, token, forget) : changed());
  }

  private static AttemptResult<Resolved> unresolved(
      ResultSet rows, Entry seen, Token token, boolean forget) throws SQLException {
    Token now = EntryColumns.token(rows.getBytes(1));
    boolean isThere = rows.getInt(4) == 1;
    if (now.equals(token) && isThere) {
      return new AttemptResult.Answered<>(Resolved.APPLIED);
    }
    int phase = rows.getInt(3);
    boolean fits = isThere && phase < (forget ? EntryColumns.FREED : EntryColumns.COMPLETED);
    if (!now.equals(seen.token()) || rows.getLong(2) != seen.fence() || !fits) {
      return changed();
    }
    return rows.getInt(5) == 1
        ? new AttemptResult.Answered<>(Resolved.LEASED)
        : new AttemptResult.Undecided<>();
  }

  private static AttemptResult<Resolved> changed() {
    return new AttemptResult.Answered<>(Resolved.CHANGED);
  }

  private AttemptResult.Answered<Boolean> matched(
      Session session, String name, Parameters parameters) throws SQLException {
    return new AttemptResult.Answered<>(session.update(statements.get(name), parameters) > 0);
  }

  private static Parameters of(Owner owner) {
    return of(owner, RowId.of(owner.key()));
  }

  private static Parameters of(Owner owner, RowId id) {
    return new Parameters()
        .bytes("id", id.bytes())
        .bytes("token", EntryColumns.token(owner.token()));
  }
}
