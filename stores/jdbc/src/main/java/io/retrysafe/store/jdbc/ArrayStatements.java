// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Token;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Many calls as one statement, for databases with arrays. Claims and completions that come together
 * go out as two statements in one message: one round trip, one transaction, one flush. So do
 * releases and steps.
 */
final class ArrayStatements implements BatchStatements {
  private final Sql claimAlone;
  private final Claims any;
  private final Claims fresh;
  private final Sql completeOwned;
  private final Sql completeAll;
  private final Sql renew;
  private final Sql release;
  private final Sql step;
  private final Sql releaseAndStep;
  private final RowStatements rowStatements;

  /** Whether the last claims were all of new keys; a wrong guess costs time and nothing else. */
  private volatile boolean isFresh;

  /** A statement for claims: alone, and with completions. */
  private record Claims(Sql alone, Sql withCompletions) {
    static Claims of(Sql claim, Sql complete) {
      return new Claims(claim, claim.then(complete));
    }
  }

  ArrayStatements(Statements statements, RowStatements rowStatements) {
    this.claimAlone = statements.get("claim_alone").then(statements.get("claimed_by_another"));
    this.completeOwned = statements.get("complete_owned");
    this.completeAll = statements.get("complete_all");
    this.any = Claims.of(statements.get("claim"), completeOwned);
    this.fresh = Claims.of(statements.get("claim_new"), completeOwned);
    this.renew = statements.get("renew_all");
    this.release = statements.get("release_all");
    this.step = statements.get("step_all");
    this.releaseAndStep = release.then(step);
    this.rowStatements = rowStatements;
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
  AttemptResult<ClaimResult> claim(Session session, ClaimRequest claiming) throws SQLException {
    PreparedStatement statement =
        session.ready(
            claimAlone,
            rowStatements
                .claiming(claiming.claim(), claiming.id())
                .integer("share", LargeAnswers.share(1)));
    AttemptResult<ClaimResult> granted = new AttemptResult.Undecided<>();
    AttemptResult<ClaimResult> held = new AttemptResult.Undecided<>();
    statement.execute();
    try (ResultSet rows = statement.getResultSet()) {
      if (rows.next() && rows.getBoolean(5)) {
        granted = new AttemptResult.Answered<>(RowStatements.granted(rows, 1));
      }
    }
    statement.getMoreResults();
    try (ResultSet rows = statement.getResultSet()) {
      if (rows.next()) {
        held = RowStatements.held(rows, 1, claiming.claim());
      }
    }
    if (granted instanceof AttemptResult.Answered) {
      return granted;
    }
    if (held instanceof AttemptResult.Answered || held instanceof AttemptResult.Large) {
      return held;
    }
    List<ClaimRequest> one = List.of(claiming);
    return session.query(any.alone, claims(one), rows -> readClaims(rows, one)).get(0);
  }

  /** Returns what to reply to each of {@code rows}. */
  List<AttemptResult<Boolean>> renew(Session session, List<RenewRequest.Lease> rows, Duration lease)
      throws SQLException {
    Parameters parameters =
        rowStatements.leased(
            new Parameters()
                .array("id", bytes(rows, row -> row.id().bytes()))
                .array("token", bytes(rows, row -> EntryColumns.token(row.owner().token()))),
            lease);
    Map<Token, AttemptResult<Boolean>> replies =
        session.query(renew, parameters, ArrayStatements::readFlags);
    return rows.stream()
        .map(row -> replies.getOrDefault(row.owner().token(), new AttemptResult.Undecided<>()))
        .toList();
  }

  @Override
  public void run(Session session, List<PendingRequest<?>> calls) throws SQLException {
    List<Runnable> replies = new ArrayList<>();
    try {
      ask(session, calls, replies);
    } finally {
      // Also after a failure: each message was a transaction of its own.
      replies.forEach(Runnable::run);
    }
  }

  /**
   * Puts all {@code calls} and adds what replies to them. Of the calls of a row's owner one goes at
   * a time, because a statement updates a row once.
   */
  private void ask(Session session, List<PendingRequest<?>> calls, List<Runnable> replies)
      throws SQLException {
    List<PendingRequest<?>> now = new ArrayList<>();
    List<PendingRequest<?>> later = new ArrayList<>();
    @Nullable RowId last = null;
    for (PendingRequest<?> call : calls) {
      boolean isClaim = call.question() instanceof ClaimRequest;
      if (!isClaim && last != null && call.id().equals(last)) {
        later.add(call);
      } else {
        now.add(call);
        last = isClaim ? last : call.id();
      }
    }
    List<ClaimRequest> claims = of(now, ClaimRequest.class);
    List<CompleteRequest> completions = of(now, CompleteRequest.class);
    if (!claims.isEmpty() || !completions.isEmpty()) {
      claimAndComplete(session, now, claims, completions, replies);
    }
    List<ReleaseRequest> releases = of(now, ReleaseRequest.class);
    List<StepRequest> steps = of(now, StepRequest.class);
    if (!releases.isEmpty() || !steps.isEmpty()) {
      Map<Token, AttemptResult<Boolean>> owners = releaseAndStep(session, releases, steps);
      replies.add(() -> replyOwners(now, owners));
    }
    if (!later.isEmpty()) {
      ask(session, later, replies);
    }
  }

  private void claimAndComplete(
      Session session,
      List<PendingRequest<?>> calls,
      List<ClaimRequest> claims,
      List<CompleteRequest> completions,
      List<Runnable> replies)
      throws SQLException {
    Claims claim = isFresh && claims.stream().noneMatch(ClaimRequest::isAgain) ? fresh : any;
    if (completions.isEmpty()) {
      List<AttemptResult<ClaimResult>> claimed =
          session.query(claim.alone, claims(claims), rows -> readClaims(rows, claims));
      replies.add(() -> replyClaims(calls, claimed));
      return;
    }
    Parameters completed = completions(completions);
    if (claims.isEmpty()) {
      Set<Token> done = session.query(completeOwned, completed, ArrayStatements::readTokens);
      tell(session, calls, completions, done, replies);
      return;
    }
    PreparedStatement statement = session.prepare(claim.withCompletions);
    int next = claim.alone.bind(statement, claims(claims), 1);
    completeOwned.bind(statement, completed, next);
    statement.execute();
    try (ResultSet rows = statement.getResultSet()) {
      List<AttemptResult<ClaimResult>> claimed = readClaims(rows, claims);
      replies.add(() -> replyClaims(calls, claimed));
    }
    statement.getMoreResults();
    Set<Token> done;
    try (ResultSet rows = statement.getResultSet()) {
      done = readTokens(rows);
    }
    tell(session, calls, completions, done, replies);
  }

  /**
   * Adds what replies to completions. Those that are {@code done} are not asked again: their
   * entries may have expired or been forgotten since.
   */
  private void tell(
      Session session,
      List<PendingRequest<?>> calls,
      List<CompleteRequest> completions,
      Set<Token> done,
      List<Runnable> replies)
      throws SQLException {
    replies.add(
        () -> replyCompletions(calls, token -> done.contains(token) ? answered(true) : null));
    List<CompleteRequest> rest =
        completions.stream().filter(each -> !done.contains(each.owner().token())).toList();
    if (!rest.isEmpty()) {
      Map<Token, AttemptResult<Boolean>> each =
          session.query(completeAll, completions(rest), ArrayStatements::readFlags);
      replies.add(
          () ->
              replyCompletions(
                  calls, token -> each.getOrDefault(token, new AttemptResult.Undecided<>())));
    }
  }

  private static AttemptResult<Boolean> answered(boolean answer) {
    return new AttemptResult.Answered<>(answer);
  }

  private Map<Token, AttemptResult<Boolean>> releaseAndStep(
      Session session, List<ReleaseRequest> releases, List<StepRequest> steps) throws SQLException {
    if (steps.isEmpty()) {
      return session.query(release, releases(releases), ArrayStatements::readFlags);
    }
    if (releases.isEmpty()) {
      return session.query(step, steps(steps), rows -> readSteps(rows, steps));
    }
    PreparedStatement statement = session.prepare(releaseAndStep);
    int next = release.bind(statement, releases(releases), 1);
    step.bind(statement, steps(steps), next);
    statement.execute();
    Map<Token, AttemptResult<Boolean>> replies = new HashMap<>();
    try (ResultSet rows = statement.getResultSet()) {
      replies.putAll(readFlags(rows));
    }
    statement.getMoreResults();
    try (ResultSet rows = statement.getResultSet()) {
      replies.putAll(readSteps(rows, steps));
    }
    return replies;
  }

  /** Replies to releases and steps. */
  @SuppressWarnings("unchecked") // both wait for true or false
  private static void replyOwners(
      List<PendingRequest<?>> calls, Map<Token, AttemptResult<Boolean>> replies) {
    for (PendingRequest<?> call : calls) {
      Token token = null;
      if (call.question() instanceof ReleaseRequest releasing) {
        token = releasing.owner().token();
      } else if (call.question() instanceof StepRequest stepping) {
        token = stepping.owner().token();
      }
      if (token != null) {
        ((PendingRequest<Boolean>) call)
            .reply(replies.getOrDefault(token, new AttemptResult.Undecided<>()));
      }
    }
  }

  private static <Q> List<Q> of(List<PendingRequest<?>> calls, Class<Q> kind) {
    List<Q> found = new ArrayList<>();
    for (PendingRequest<?> call : calls) {
      if (kind.isInstance(call.question())) {
        found.add(kind.cast(call.question()));
      }
    }
    return found;
  }

  /** Replies to the claims, in their order. */
  @SuppressWarnings("unchecked") // a claim waits for such a result
  private static void replyClaims(
      List<PendingRequest<?>> calls, List<AttemptResult<ClaimResult>> claimed) {
    Iterator<AttemptResult<ClaimResult>> next = claimed.iterator();
    for (PendingRequest<?> call : calls) {
      if (call.question() instanceof ClaimRequest) {
        ((PendingRequest<ClaimResult>) call).reply(next.next());
      }
    }
  }

  @SuppressWarnings("unchecked") // a completion waits for true or false
  private static void replyCompletions(
      List<PendingRequest<?>> calls, Function<Token, @Nullable AttemptResult<Boolean>> completed) {
    for (PendingRequest<?> call : calls) {
      if (call.question() instanceof CompleteRequest completing) {
        AttemptResult<Boolean> reply = completed.apply(completing.owner().token());
        if (reply != null) {
          ((PendingRequest<Boolean>) call).reply(reply);
        }
      }
    }
  }

  private Parameters claims(List<ClaimRequest> claims) {
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
      ClaimRequest each = claims.get(i);
      OperationKey key = each.claim().key();
      ids[i] = each.id().bytes();
      tenants[i] = key.scope().account();
      endpoints[i] = key.scope().endpoint();
      parts[i] = EntryColumns.endpointParts(key.scope());
      keys[i] = key.value();
      fingerprints[i] = EntryColumns.fingerprint(each.claim().fingerprint());
      tokens[i] = EntryColumns.token(each.claim().token());
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
        .number("unsettled", rowStatements.unsettled())
        .integer("share", LargeAnswers.share(size));
  }

  private static Parameters completions(List<CompleteRequest> completions) {
    int size = completions.size();
    int[] phases = new int[size];
    int[] statuses = new int[size];
    long[] retentions = new long[size];
    for (int i = 0; i < size; i++) {
      CompleteRequest each = completions.get(i);
      phases[i] = EntryColumns.phase(each.outcome());
      statuses[i] = each.outcome().status();
      retentions[i] = Micros.of(each.retention());
    }
    return new Parameters()
        .array("id", bytes(completions, each -> each.id().bytes()))
        .array("token", bytes(completions, each -> EntryColumns.token(each.owner().token())))
        .array("phase", phases)
        .array("status", statuses)
        .array("outcome", bytes(completions, each -> OutcomeFormat.write(each.outcome())))
        .array("retention", retentions);
  }

  private Parameters releases(List<ReleaseRequest> releases) {
    return rowStatements.released(
        new Parameters()
            .array("id", bytes(releases, each -> each.id().bytes()))
            .array("token", bytes(releases, each -> EntryColumns.token(each.owner().token())))
            .array(
                "how",
                releases.stream().mapToInt(each -> EntryColumns.phase(each.how())).toArray()));
  }

  private static Parameters steps(List<StepRequest> steps) {
    return new Parameters()
        .array("id", bytes(steps, each -> each.id().bytes()))
        .array("token", bytes(steps, each -> EntryColumns.token(each.owner().token())))
        .array("mark", texts(steps, each -> StepsFormat.mark(each.name())))
        .array("step", texts(steps, each -> StepsFormat.write(each.name(), each.result())))
        .array(
            "size",
            steps.stream().mapToInt(each -> StepsFormat.size(each.name(), each.result())).toArray())
        .integer("largest", RowStatements.LARGEST_STEPS);
  }

  /** Columns: token, whether it is the owner's, and the bytes taken where the step does not fit. */
  private static Map<Token, AttemptResult<Boolean>> readSteps(
      ResultSet rows, List<StepRequest> steps) throws SQLException {
    Map<Token, AttemptResult<Boolean>> replies = new HashMap<>();
    while (rows.next()) {
      Token token = EntryColumns.token(rows.getBytes(1));
      boolean isOwners = rows.getBoolean(2);
      int taken = rows.getInt(3);
      replies.put(
          token,
          rows.wasNull()
              ? new AttemptResult.Answered<>(isOwners)
              : doesNotFit(steps, token, taken));
    }
    return replies;
  }

  private static AttemptResult<Boolean> doesNotFit(
      List<StepRequest> steps, Token token, int taken) {
    for (StepRequest step : steps) {
      if (step.owner().token().equals(token)) {
        int size = taken + StepsFormat.size(step.name(), step.result());
        return new AttemptResult.Failed<>(RowStatements.tooManySteps(step.owner().key(), size));
      }
    }
    return new AttemptResult.Undecided<>();
  }

  /**
   * Columns: number, then fence, attempt, previous and steps of a grant, then the token granted, or
   * the entry seen, which has a number. A claim of which neither came is undecided: another one's
   * row is not visible yet, or the statement was the one for new keys, and this key is not, or the
   * lease was over when it was granted: then the token is null.
   */
  private List<AttemptResult<ClaimResult>> readClaims(ResultSet rows, List<ClaimRequest> claims)
      throws SQLException {
    Map<Token, ClaimResult> granted = new HashMap<>();
    List<AttemptResult<ClaimResult>> replies =
        new ArrayList<>(Collections.nCopies(claims.size(), new AttemptResult.Undecided<>()));
    while (rows.next()) {
      int number = rows.getInt(1);
      if (number == 0) {
        byte[] token = rows.getBytes(6);
        if (token != null) {
          granted.put(EntryColumns.token(token), RowStatements.granted(rows, 2));
        }
      } else {
        replies.set(number - 1, held(rows, claims.get(number - 1).claim()));
      }
    }
    isFresh = granted.size() == claims.size();
    for (int i = 0; i < claims.size() && !granted.isEmpty(); i++) {
      // Removed, because of two claims with one token only the first one leads.
      ClaimResult grant = granted.remove(claims.get(i).claim().token());
      if (grant != null) {
        replies.set(i, new AttemptResult.Answered<>(grant));
      }
    }
    return replies;
  }

  private static Set<Token> readTokens(ResultSet rows) throws SQLException {
    Set<Token> tokens = new HashSet<>();
    while (rows.next()) {
      tokens.add(EntryColumns.token(rows.getBytes(1)));
    }
    return tokens;
  }

  /** An entry that cannot be read is the trouble of its own claims only. */
  private static AttemptResult<ClaimResult> held(ResultSet rows, Claim claim) throws SQLException {
    try {
      return RowStatements.held(rows, 6, claim);
    } catch (IllegalArgumentException e) {
      return new AttemptResult.Failed<>(e);
    }
  }

  /** Columns: token, and the answer. Nothing comes for a row that was in use. */
  private static Map<Token, AttemptResult<Boolean>> readFlags(ResultSet rows) throws SQLException {
    Map<Token, AttemptResult<Boolean>> replies = new HashMap<>();
    while (rows.next()) {
      replies.put(
          EntryColumns.token(rows.getBytes(1)), new AttemptResult.Answered<>(rows.getBoolean(2)));
    }
    return replies;
  }

  private static <E> String[] texts(List<E> elements, Function<E, String> of) {
    return elements.stream().map(of).toArray(String[]::new);
  }

  private static <E> byte[][] bytes(List<E> elements, Function<E, byte[]> of) {
    byte[][] all = new byte[elements.size()][];
    for (int i = 0; i < all.length; i++) {
      all[i] = of.apply(elements.get(i));
    }
    return all;
  }
}
