// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Token;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Many calls as one statement, for databases with arrays. Claims and completions that come together
 * go out as two statements in one message: one round trip, one transaction, one flush.
 */
final class Arrayed {
  private final Sql claimAlone;
  private final Claims any;
  private final Claims fresh;
  private final Sql completeOwned;
  private final Sql completeAll;
  private final Sql renew;
  private final Questions questions;

  /** Whether the last claims were all of new keys; a wrong guess costs time and nothing else. */
  private volatile boolean isFresh;

  /** A statement for claims: alone, and with completions. */
  private record Claims(Sql alone, Sql withCompletions) {
    static Claims of(Sql claim, Sql complete) {
      return new Claims(claim, claim.then(complete));
    }
  }

  Arrayed(Statements statements, Questions questions) {
    this.claimAlone = statements.get("claim_alone").then(statements.get("claimed_by_another"));
    this.completeOwned = statements.get("complete_owned");
    this.completeAll = statements.get("complete_all");
    this.any = Claims.of(statements.get("claim"), completeOwned);
    this.fresh = Claims.of(statements.get("claim_new"), completeOwned);
    this.renew = statements.get("renew_all");
    this.questions = questions;
  }

  /**
   * Returns whether claims are of new keys at present. They then share lanes of their own, so that
   * a batch has one statement and not two.
   */
  boolean isFresh() {
    return isFresh;
  }

  /**
   * Claims one key. What is new or held takes one exchange, without the weight of the large
   * statement; what may be taken over takes a second one, which decides it.
   */
  Reply<ClaimResult> claim(Session session, Claiming claiming) throws SQLException {
    PreparedStatement statement =
        session.ready(claimAlone, questions.claiming(claiming.claim(), claiming.id()));
    Reply<ClaimResult> granted = new Reply.Undecided<>();
    Reply<ClaimResult> held = new Reply.Undecided<>();
    statement.execute();
    try (ResultSet rows = statement.getResultSet()) {
      if (rows.next()) {
        granted = new Reply.Answered<>(Questions.granted(rows, 1));
      }
    }
    statement.getMoreResults();
    try (ResultSet rows = statement.getResultSet()) {
      if (rows.next()) {
        held = Questions.held(rows, 1, claiming.claim());
      }
    }
    if (granted instanceof Reply.Answered) {
      return granted;
    }
    if (held instanceof Reply.Answered) {
      return held;
    }
    List<Claiming> one = List.of(claiming);
    return session.query(any.alone, claims(one), rows -> readClaims(rows, one)).get(0);
  }

  Map<Token, Reply<Boolean>> renew(Session session, List<Owner> owners, Duration lease)
      throws SQLException {
    Parameters parameters =
        questions.leased(
            new Parameters()
                .array("id", bytes(owners, owner -> RowId.of(owner.key()).bytes()))
                .array("token", bytes(owners, owner -> Row.token(owner.token()))),
            lease);
    return session.query(renew, parameters, Arrayed::readFlags);
  }

  /** Puts all {@code calls}, sorted by id, and replies to them. */
  void run(Session session, List<Call<?>> calls) throws SQLException {
    List<Claiming> claims = new ArrayList<>();
    List<Completing> completions = new ArrayList<>();
    for (Call<?> call : calls) {
      if (call.question() instanceof Claiming claiming) {
        claims.add(claiming);
      } else if (call.question() instanceof Completing completing) {
        completions.add(completing);
      }
    }
    Claims claim = isFresh ? fresh : any;
    if (completions.isEmpty()) {
      replyClaims(
          calls, session.query(claim.alone, claims(claims), rows -> readClaims(rows, claims)));
      return;
    }
    Parameters completed = completions(completions);
    if (claims.isEmpty()) {
      int done = session.update(completeOwned, completed);
      replyCompletions(calls, told(session, completed, done == completions.size()));
      return;
    }
    PreparedStatement statement = session.prepare(claim.withCompletions);
    int next = claim.alone.bind(statement, claims(claims), 1);
    completeOwned.bind(statement, completed, next);
    statement.execute();
    try (ResultSet rows = statement.getResultSet()) {
      replyClaims(calls, readClaims(rows, claims));
    }
    statement.getMoreResults();
    int done = statement.getUpdateCount();
    replyCompletions(calls, told(session, completed, done == completions.size()));
  }

  /** Returns what to reply to completions, by token. */
  private Function<Token, Reply<Boolean>> told(
      Session session, Parameters completions, boolean areAllDone) throws SQLException {
    if (areAllDone) {
      return token -> new Reply.Answered<>(true);
    }
    Map<Token, Reply<Boolean>> each = session.query(completeAll, completions, Arrayed::readFlags);
    return token -> each.getOrDefault(token, new Reply.Undecided<>());
  }

  /** Replies to the claims, in their order. */
  @SuppressWarnings("unchecked") // a claim waits for such a result
  private static void replyClaims(List<Call<?>> calls, List<Reply<ClaimResult>> claimed) {
    Iterator<Reply<ClaimResult>> next = claimed.iterator();
    for (Call<?> call : calls) {
      if (call.question() instanceof Claiming) {
        ((Call<ClaimResult>) call).reply(next.next());
      }
    }
  }

  @SuppressWarnings("unchecked") // a completion waits for true or false
  private static void replyCompletions(
      List<Call<?>> calls, Function<Token, Reply<Boolean>> completed) {
    for (Call<?> call : calls) {
      if (call.question() instanceof Completing completing) {
        ((Call<Boolean>) call).reply(completed.apply(completing.owner().token()));
      }
    }
  }

  private Parameters claims(List<Claiming> claims) {
    int size = claims.size();
    byte[][] ids = new byte[size][];
    String[] tenants = new String[size];
    String[] endpoints = new String[size];
    String[] parts = new String[size];
    String[] keys = new String[size];
    byte[][] fingerprints = new byte[size][];
    byte[][] tokens = new byte[size][];
    long[] leases = new long[size];
    int[] attempts = new int[size];
    long[] within = new long[size];
    boolean[] leads = new boolean[size];
    for (int i = 0; i < size; i++) {
      Claiming each = claims.get(i);
      OperationKey key = each.claim().key();
      ids[i] = each.id().bytes();
      tenants[i] = key.scope().account();
      endpoints[i] = key.scope().endpoint();
      parts[i] = Row.endpointParts(key.scope());
      keys[i] = key.value();
      fingerprints[i] = Row.fingerprint(each.claim().fingerprint());
      tokens[i] = Row.token(each.claim().token());
      leases[i] = Micros.of(each.claim().lease());
      attempts[i] = each.claim().takeOver().attempts();
      within[i] = Micros.of(each.claim().takeOver().within());
      leads[i] = i == 0 || !each.id().equals(claims.get(i - 1).id());
    }
    return new Parameters()
        .array("id", ids)
        .array("tenant", tenants)
        .array("endpoint", endpoints)
        .array("parts", parts)
        .array("key", keys)
        .array("fingerprint", fingerprints)
        .array("token", tokens)
        .array("lease", leases)
        .array("attempts", attempts)
        .array("within", within)
        .array("leads", leads)
        .number("unsettled", questions.unsettled());
  }

  private static Parameters completions(List<Completing> completions) {
    int size = completions.size();
    int[] phases = new int[size];
    int[] statuses = new int[size];
    long[] retentions = new long[size];
    for (int i = 0; i < size; i++) {
      Completing each = completions.get(i);
      phases[i] = Row.phase(each.outcome());
      statuses[i] = each.outcome().status();
      retentions[i] = Micros.of(each.retention());
    }
    return new Parameters()
        .array("id", bytes(completions, each -> each.id().bytes()))
        .array("token", bytes(completions, each -> Row.token(each.owner().token())))
        .array("phase", phases)
        .array("status", statuses)
        .array("outcome", bytes(completions, each -> OutcomeFormat.write(each.outcome())))
        .array("retention", retentions);
  }

  /**
   * Columns: number, then fence, attempt, previous and steps of a grant, then the token granted, or
   * the entry seen, which has a number. A claim of which neither came is undecided: another one's
   * row is not visible yet, or the statement was the one for new keys, and this key is not.
   */
  private List<Reply<ClaimResult>> readClaims(ResultSet rows, List<Claiming> claims)
      throws SQLException {
    Map<Token, ClaimResult> granted = new HashMap<>();
    List<Reply<ClaimResult>> replies =
        new ArrayList<>(Collections.nCopies(claims.size(), new Reply.Undecided<>()));
    while (rows.next()) {
      int number = rows.getInt(1);
      if (number == 0) {
        granted.put(Row.token(rows.getBytes(6)), Questions.granted(rows, 2));
      } else {
        replies.set(number - 1, Questions.held(rows, 6, claims.get(number - 1).claim()));
      }
    }
    isFresh = granted.size() == claims.size();
    for (int i = 0; i < claims.size() && !granted.isEmpty(); i++) {
      // Removed, because of two claims with one token only the first one leads.
      ClaimResult grant = granted.remove(claims.get(i).claim().token());
      if (grant != null) {
        replies.set(i, new Reply.Answered<>(grant));
      }
    }
    return replies;
  }

  /** Columns: token, and the answer. Nothing comes for a row that was in use. */
  private static Map<Token, Reply<Boolean>> readFlags(ResultSet rows) throws SQLException {
    Map<Token, Reply<Boolean>> replies = new HashMap<>();
    while (rows.next()) {
      replies.put(Row.token(rows.getBytes(1)), new Reply.Answered<>(rows.getBoolean(2)));
    }
    return replies;
  }

  private static <E> byte[][] bytes(List<E> elements, Function<E, byte[]> of) {
    byte[][] all = new byte[elements.size()][];
    for (int i = 0; i < all.length; i++) {
      all[i] = of.apply(elements.get(i));
    }
    return all;
  }
}
