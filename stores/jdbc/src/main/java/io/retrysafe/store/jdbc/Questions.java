// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Previous;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.store.Token;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The calls of the store as questions, each one statement or two that decide one row. */
final class Questions {
  static final int LARGEST_STEPS = 64 * 1024;

  /** How long a freed row is remembered, so that a repeated release is true. */
  private static final Duration FREED_FOR = Duration.ofSeconds(10);

  private final Statements statements;
  private final long unsettled;

  Questions(Statements statements, Duration unsettledRetention) {
    this.statements = statements;
    this.unsettled = Micros.of(unsettledRetention);
  }

  /** A claim, for databases that decide it with one row's parameters. */
  Reply<ClaimResult> claim(Session session, Claim claim, RowId id) throws SQLException {
    Parameters parameters = claiming(claim, id);
    if (session.dialect().readsBack()) {
      session.update(statements.get("claim"), parameters);
    }
    Reply<ClaimResult> granted =
        session.query(
            statements.get(session.dialect().readsBack() ? "claimed" : "claim"),
            parameters,
            rows -> {
              if (!rows.next()) {
                return new Reply.Undecided<>();
              }
              boolean hasEntry = rows.getMetaData().getColumnCount() > 4;
              return hasEntry && !isGranted(rows, claim)
                  ? held(rows, 5, claim)
                  : new Reply.Answered<>(granted(rows, 1));
            });
    if (granted instanceof Reply.Answered || !session.dialect().hasOneWriter()) {
      return granted;
    }
    return session.query(
        statements.get("held"),
        new Parameters().bytes("id", id.bytes()),
        rows -> rows.next() ? held(rows, 1, claim) : new Reply.Undecided<>());
  }

  /** Returns the parameters of a claim that is decided by itself. */
  Parameters claiming(Claim claim, RowId id) {
    long lease = Micros.of(claim.lease());
    OperationKey key = claim.key();
    return new Parameters()
        .bytes("id", id.bytes())
        .text("tenant", key.scope().account())
        .text("endpoint", key.scope().endpoint())
        .text("parts", Row.endpointParts(key.scope()))
        .text("key", key.value())
        .bytes("fingerprint", Row.fingerprint(claim.fingerprint()))
        .bytes("token", Row.token(claim.token()))
        .number("lease", lease)
        .number("unsettled", unsettled)
        .number("lease_and_unsettled", lease + unsettled)
        .number("attempts", claim.takeOver().attempts())
        .number("within", Micros.of(claim.takeOver().within()));
  }

  private static boolean isGranted(ResultSet rows, Claim claim) throws SQLException {
    return rows.getInt(9) == Row.RUNNING
        && Arrays.equals(rows.getBytes(5), Row.token(claim.token()))
        && Arrays.equals(rows.getBytes(6), Row.fingerprint(claim.fingerprint()));
  }

  /** Reads fence, attempt, previous and steps. */
  static ClaimResult granted(ResultSet rows, int at) throws SQLException {
    return new ClaimResult.Granted(
        rows.getInt(at + 1),
        rows.getLong(at),
        previous(rows.getInt(at + 2)),
        StepsFormat.read(rows.getString(at + 3)));
  }

  private static Previous previous(int code) {
    return switch (code) {
      case 0 -> Previous.ABSENT;
      case Row.RESUMABLE -> Previous.RESUMABLE;
      default -> Previous.UNKNOWN;
    };
  }

  /**
   * Reads the entry that holds the claim off. One that the claim should have been granted over is
   * not what the claim was decided on.
   */
  static Reply<ClaimResult> held(ResultSet rows, int at, Claim claim) throws SQLException {
    Entry entry = Row.entry(rows, at, claim.key());
    if (entry == null) {
      boolean isLate = Row.token(rows.getBytes(at)).equals(claim.token());
      return isLate ? new Reply.Answered<>(new ClaimResult.Contended()) : new Reply.Undecided<>();
    }
    return claim.isGrantedOver(entry)
        ? new Reply.Undecided<>()
        : new Reply.Answered<>(new ClaimResult.Held(entry));
  }

  Reply<Boolean> complete(Session session, Owner owner, Outcome outcome, Duration retention)
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
                && Row.token(rows.getBytes(1)).equals(owner.token())
                && rows.getInt(2) >= Row.COMPLETED
                && rows.getInt(2) < Row.FREED);
  }

  /** Completes all in one batch of the driver; what it does not tell apart is asked again. */
  List<Reply<Boolean>> completeAll(Session session, List<Completing> all) throws SQLException {
    List<Parameters> rows =
        all.stream()
            .map(each -> completion(each.owner(), each.outcome(), each.retention()))
            .toList();
    List<Reply<Boolean>> replies = new ArrayList<>();
    for (int matched : session.updateAll(statements.get("complete"), rows)) {
      replies.add(matched < 0 ? new Reply.Undecided<>() : new Reply.Answered<>(matched > 0));
    }
    return replies;
  }

  private Reply.Answered<Boolean> complete(
      Session session, String statement, Owner owner, Outcome outcome, Duration retention)
      throws SQLException {
    return matched(session, statement, completion(owner, outcome, retention));
  }

  private static Parameters completion(Owner owner, Outcome outcome, Duration retention) {
    return of(owner)
        .bytes("outcome", OutcomeFormat.write(outcome))
        .integer("status", outcome.status())
        .integer("phase", Row.phase(outcome))
        .number("retention", Micros.of(retention));
  }

  Reply<Boolean> release(Session session, Owner owner, LeaveAs how) throws SQLException {
    int phase =
        switch (how) {
          case FREE -> Row.FREED;
          case RESUMABLE -> Row.RESUMABLE;
          case UNKNOWN -> Row.UNKNOWN;
        };
    return matched(
        session,
        "release",
        of(owner)
            .integer("how", phase)
            .number("unsettled", unsettled)
            .number("freed", Micros.of(FREED_FOR)));
  }

  Reply<Boolean> renew(Session session, Owner owner, Duration lease) throws SQLException {
    return matched(session, "renew", leased(of(owner), lease));
  }

  Parameters leased(Parameters parameters, Duration lease) {
    long micros = Micros.of(lease);
    return parameters.number("lease", micros).number("lease_and_unsettled", micros + unsettled);
  }

  long unsettled() {
    return unsettled;
  }

  Reply<Boolean> step(Session session, Owner owner, String name, Bytes result) throws SQLException {
    int size = StepsFormat.size(name, result);
    Parameters parameters =
        of(owner)
            .text("mark", StepsFormat.mark(name))
            .text("step", StepsFormat.write(name, result))
            .integer("size", size)
            .integer("largest", LARGEST_STEPS);
    if (session.update(statements.get("step"), parameters) > 0) {
      return new Reply.Answered<>(true);
    }
    Optional<Integer> taken =
        session.query(
            statements.get("fits"),
            parameters,
            rows -> rows.next() ? Optional.of(rows.getInt(1)) : Optional.empty());
    if (taken.isEmpty()) {
      return new Reply.Answered<>(false);
    }
    if (taken.get() + size <= LARGEST_STEPS) {
      return new Reply.Undecided<>();
    }
    throw new RefusedCallException(
        "the steps of %s would take %d bytes, at most %d fit"
            .formatted(owner.key(), taken.get() + size, LARGEST_STEPS),
        null);
  }

  Optional<Entry> find(Session session, OperationKey key) throws SQLException {
    return session.query(
        statements.get("find"),
        new Parameters().bytes("id", RowId.of(key).bytes()),
        rows -> rows.next() ? Optional.ofNullable(Row.entry(rows, 1, key)) : Optional.empty());
  }

  Reply<Resolved> resolve(Session session, Entry seen, Token token, Word word) throws SQLException {
    Outcome outcome = word instanceof Word.Done done ? done.outcome() : null;
    Duration retention = word instanceof Word.Done done ? done.retention() : Duration.ZERO;
    boolean forget = word instanceof Word.Forget;
    Parameters parameters =
        of(new Owner(seen.key(), seen.token()))
            .number("fence", seen.fence())
            .bytes("word", Row.token(token))
            .bytes("outcome", outcome == null ? null : OutcomeFormat.write(outcome))
            .integer("status", outcome == null ? 0 : outcome.status())
            .integer("phase", outcome == null ? Row.FREED : Row.phase(outcome))
            .number("retention", Micros.of(retention))
            .number("unsettled", unsettled)
            .number("freed", Micros.of(FREED_FOR))
            .integer("forget", forget ? 1 : 0);
    if (session.update(statements.get("resolve"), parameters) > 0) {
      return new Reply.Answered<>(Resolved.APPLIED);
    }
    return session.query(
        statements.get("resolved"),
        parameters,
        rows -> rows.next() ? unresolved(rows, seen, token, forget) : changed());
  }

  private static Reply<Resolved> unresolved(ResultSet rows, Entry seen, Token token, boolean forget)
      throws SQLException {
    Token now = Row.token(rows.getBytes(1));
    boolean isThere = rows.getInt(4) == 1;
    if (now.equals(token) && isThere) {
      return new Reply.Answered<>(Resolved.APPLIED);
    }
    int phase = rows.getInt(3);
    boolean fits = isThere && phase < (forget ? Row.FREED : Row.COMPLETED);
    if (!now.equals(seen.token()) || rows.getLong(2) != seen.fence() || !fits) {
      return changed();
    }
    return rows.getInt(5) == 1 ? new Reply.Answered<>(Resolved.LEASED) : new Reply.Undecided<>();
  }

  private static Reply<Resolved> changed() {
    return new Reply.Answered<>(Resolved.CHANGED);
  }

  private Reply.Answered<Boolean> matched(Session session, String name, Parameters parameters)
      throws SQLException {
    return new Reply.Answered<>(session.update(statements.get(name), parameters) > 0);
  }

  private static Parameters of(Owner owner) {
    return new Parameters()
        .bytes("id", RowId.of(owner.key()).bytes())
        .bytes("token", Row.token(owner.token()));
  }
}
