// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Token;
import io.retrysafe.store.jdbc.AttemptResult.Answered;
import io.retrysafe.store.jdbc.AttemptResult.Undecided;
import io.retrysafe.store.jdbc.Request.ClaimRequest;
import io.retrysafe.store.jdbc.Request.CompleteRequest;
import io.retrysafe.store.jdbc.Request.OtherRequest;
import io.retrysafe.store.jdbc.Request.OwnerRequest;
import io.retrysafe.store.jdbc.Request.ReleaseRequest;
import io.retrysafe.store.jdbc.Request.RenewRequest;
import io.retrysafe.store.jdbc.Request.StepRequest;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Many requests of a kind as one statement, for databases with arrays. Claims and completions that
 * come together go out as two statements in one message: one round trip, one transaction, one
 * flush. So do releases and steps.
 */
final class ArrayStatements implements BatchStatements {
  private final Sql claimAlone;
  private final ClaimSql any;
  private final ClaimSql fresh;
  private final Sql complete;
  private final Sql release;
  private final Sql step;
  private final Sql releaseAndStep;
  private final Sql renew;
  private final EntryStatements entries;
  private final RowStatements single;

  /** Whether the last claims were all of new keys; a wrong guess costs time and nothing else. */
  private volatile boolean claimsAreNew;

  /** A statement for claims: alone, and with completions. */
  private record ClaimSql(Sql alone, Sql withCompletions) {}

  ArrayStatements(Statements statements, EntryStatements entries, RowStatements single) {
    this.claimAlone = statements.get("claim_alone").then(statements.get("claimed_by_another"));
    this.complete = statements.get("complete_owned");
    this.any = claimSql(statements.get("claim"));
    this.fresh = claimSql(statements.get("claim_new"));
    this.release = statements.get("release_all");
    this.step = statements.get("step_all");
    this.releaseAndStep = release.then(step);
    this.renew = statements.get("renew_all");
    this.entries = entries;
    this.single = single;
  }

  private ClaimSql claimSql(Sql claim) {
    return new ClaimSql(claim, claim.then(complete));
  }

  @Override
  public boolean claimsAreNew() {
    return claimsAreNew;
  }

  @Override
  public void run(Session session, List<PendingRequest<?>> requests) throws SQLException {
    if (requests.size() > 1) {
      runAll(session, requests);
      return;
    }
    List<PendingRequest<ClaimResult>> claims = PendingRequest.of(requests, ClaimRequest.class);
    if (claims.isEmpty() && PendingRequest.of(requests, RenewRequest.class).isEmpty()) {
      single.run(session, requests);
    } else if (claims.isEmpty()) {
      runAll(session, requests);
    } else {
      PendingRequest<ClaimResult> claim = claims.get(0);
      claim.reply(claim(session, (ClaimRequest) claim.request()));
    }
  }

  /**
   * Claims one key. What is new or held takes one exchange, without the weight of the large
   * statement; what may be taken over takes a second one, which decides it.
   */
  private AttemptResult<ClaimResult> claim(Session session, ClaimRequest request)
      throws SQLException {
    int share = LargeAnswers.share(1);
    PreparedStatement statement = session.ready(claimAlone, entries.claim(request, share));
    AttemptResult<ClaimResult> granted = new Undecided<>();
    AttemptResult<ClaimResult> held = new Undecided<>();
    statement.execute();
    try (ResultSet rows = statement.getResultSet()) {
      if (rows.next() && rows.getBoolean(5)) {
        granted = new Answered<>(EntryColumns.granted(rows, 1));
      }
    }
    statement.getMoreResults();
    try (ResultSet rows = statement.getResultSet()) {
      if (rows.next()) {
        held = EntryColumns.held(rows, 1, request.claim(), share);
      }
    }
    if (granted instanceof Answered) {
      return granted;
    }
    if (!(held instanceof Undecided)) {
      return held;
    }
    List<ClaimRequest> one = List.of(request);
    return session.query(any.alone, claims(one), rows -> readClaims(rows, one)).get(0);
  }

  /**
   * Runs all requests, message after message, each a transaction of its own. Of the requests of a
   * row's owner one goes at a time, because a statement updates a row once.
   */
  private void runAll(Session session, List<PendingRequest<?>> requests) throws SQLException {
    List<PendingRequest<?>> now = new ArrayList<>();
    List<PendingRequest<?>> later = new ArrayList<>();
    @Nullable RowId last = null;
    for (PendingRequest<?> each : requests) {
      if (each.request() instanceof ClaimRequest) {
        now.add(each);
      } else if (each.request() instanceof OtherRequest || Objects.equals(each.id(), last)) {
        later.add(each);
      } else {
        now.add(each);
        last = each.id();
      }
    }
    claimAndComplete(
        session,
        PendingRequest.of(now, ClaimRequest.class),
        PendingRequest.of(now, CompleteRequest.class));
    releaseAndStep(session, now);
    update(session, renew, now, RenewRequest.class, this::renewals);
    if (now.isEmpty()) {
      for (PendingRequest<?> each : later) {
        single.run(session, List.of(each));
      }
    } else if (!later.isEmpty()) {
      runAll(session, later);
    }
  }

  private void claimAndComplete(
      Session session,
      List<PendingRequest<ClaimResult>> claims,
      List<PendingRequest<Boolean>> completions)
      throws SQLException {
    List<ClaimRequest> claimed = requests(claims, ClaimRequest.class);
    List<CompleteRequest> completed = requests(completions, CompleteRequest.class);
    boolean areNew = claimsAreNew && claimed.stream().noneMatch(ClaimRequest::isAgain);
    ClaimSql claim = areNew ? fresh : any;
    if (completions.isEmpty()) {
      if (!claims.isEmpty()) {
        reply(
            claims, session.query(claim.alone, claims(claimed), rows -> readClaims(rows, claimed)));
      }
      return;
    }
    Set<Token> done;
    if (claims.isEmpty()) {
      done = session.query(complete, completions(completed), ArrayStatements::readTokens);
    } else {
      PreparedStatement statement = session.prepare(claim.withCompletions);
      int next = claim.alone.bind(statement, claims(claimed), 1);
      complete.bind(statement, completions(completed), next);
      statement.execute();
      try (ResultSet rows = statement.getResultSet()) {
        reply(claims, readClaims(rows, claimed));
      }
      statement.getMoreResults();
      try (ResultSet rows = statement.getResultSet()) {
        done = readTokens(rows);
      }
    }
    // The entry of one that is done may have expired or been forgotten since: it is not sent again.
    List<PendingRequest<Boolean>> rest = new ArrayList<>();
    for (PendingRequest<Boolean> each : completions) {
      if (done.contains(token(each))) {
        each.reply(new Answered<>(true));
      } else {
        rest.add(each);
      }
    }
    for (PendingRequest<Boolean> each : rest) {
      single.run(session, List.of(each));
    }
  }

  private void releaseAndStep(Session session, List<PendingRequest<?>> all) throws SQLException {
    List<PendingRequest<Boolean>> released = PendingRequest.of(all, ReleaseRequest.class);
    List<PendingRequest<Boolean>> stepped = PendingRequest.of(all, StepRequest.class);
    if (released.isEmpty() || stepped.isEmpty()) {
      update(session, release, all, ReleaseRequest.class, this::releases);
      update(session, step, all, StepRequest.class, ArrayStatements::steps);
      return;
    }
    List<ReleaseRequest> releases = requests(released, ReleaseRequest.class);
    List<StepRequest> steps = requests(stepped, StepRequest.class);
    PreparedStatement statement = session.prepare(releaseAndStep);
    int next = release.bind(statement, releases(releases), 1);
    step.bind(statement, steps(steps), next);
    statement.execute();
    try (ResultSet rows = statement.getResultSet()) {
      replyFlags(released, readFlags(rows, releases));
    }
    statement.getMoreResults();
    try (ResultSet rows = statement.getResultSet()) {
      replyFlags(stepped, readFlags(rows, steps));
    }
  }

  private static void replyFlags(
      List<PendingRequest<Boolean>> requests, Map<Token, AttemptResult<Boolean>> results) {
    for (PendingRequest<Boolean> each : requests) {
      each.reply(results.getOrDefault(token(each), new Undecided<>()));
    }
  }

  /** Runs all requests of a kind as one statement. A row that is in use is undecided. */
  private <R extends OwnerRequest> void update(
      Session session,
      Sql sql,
      List<PendingRequest<?>> all,
      Class<R> kind,
      Function<List<R>, Parameters> parameters)
      throws SQLException {
    List<PendingRequest<Boolean>> pending = PendingRequest.of(all, kind);
    if (pending.isEmpty()) {
      return;
    }
    List<R> requests = requests(pending, kind);
    replyFlags(
        pending, session.query(sql, parameters.apply(requests), rows -> readFlags(rows, requests)));
  }

  private static Token token(PendingRequest<Boolean> pending) {
    return ((OwnerRequest) pending.request()).owner().token();
  }

  private static <R> List<R> requests(List<? extends PendingRequest<?>> pending, Class<R> kind) {
    return pending.stream().map(each -> kind.cast(each.request())).toList();
  }

  private static <T> void reply(List<PendingRequest<T>> requests, List<AttemptResult<T>> results) {
    for (int i = 0; i < requests.size(); i++) {
      requests.get(i).reply(results.get(i));
    }
  }

  private Parameters claims(List<ClaimRequest> claims) {
    int size = claims.size();
    String[] tenants = new String[size];
    String[] endpoints = new String[size];
    String[] parts = new String[size];
    String[] keys = new String[size];
    long[] leases = new long[size];
    int[] attempts = new int[size];
    long[] within = new long[size];
    boolean[] leads = new boolean[size];
    for (int i = 0; i < size; i++) {
      Claim claim = claims.get(i).claim();
      OperationKey key = claim.key();
      tenants[i] = key.scope().account();
      endpoints[i] = key.scope().endpoint();
      parts[i] = EntryColumns.endpointParts(key.scope());
      keys[i] = key.value();
      leases[i] = Micros.of(claim.lease());
      attempts[i] = claim.takeOver().attempts();
      within[i] = Micros.of(claim.takeOver().within());
      leads[i] = i == 0 || !claims.get(i).id().equals(claims.get(i - 1).id());
    }
    return entries
        .withRetention(new Parameters())
        .array("id", bytes(claims, each -> each.id().bytes()))
        .array("tenant", tenants)
        .array("endpoint", endpoints)
        .array("parts", parts)
        .array("key", keys)
        .array(
            "fingerprint",
            bytes(claims, each -> EntryColumns.fingerprint(each.claim().fingerprint())))
        .array("token", bytes(claims, each -> EntryColumns.token(each.claim().token())))
        .array("lease", leases)
        .array("attempts", attempts)
        .array("within", within)
        .array("leads", leads)
        .integer("share", LargeAnswers.share(size));
  }

  private static Parameters completions(List<CompleteRequest> requests) {
    return owned(requests)
        .array("phase", ints(requests, each -> EntryColumns.phase(each.outcome())))
        .array("status", ints(requests, each -> each.outcome().status()))
        .array("outcome", bytes(requests, each -> OutcomeFormat.write(each.outcome())))
        .array(
            "retention",
            requests.stream().mapToLong(each -> Micros.of(each.retention())).toArray());
  }

  private Parameters releases(List<ReleaseRequest> requests) {
    return entries
        .withRetention(owned(requests))
        .array("how", ints(requests, each -> EntryColumns.phase(each.how())));
  }

  private Parameters renewals(List<RenewRequest> requests) {
    return entries
        .withRetention(owned(requests))
        .array("lease", requests.stream().mapToLong(each -> Micros.of(each.lease())).toArray());
  }

  private static Parameters steps(List<StepRequest> requests) {
    return owned(requests)
        .array("mark", texts(requests, each -> StepsFormat.mark(each.name())))
        .array("step", texts(requests, each -> StepsFormat.write(each.name(), each.result())))
        .array("size", ints(requests, StepRequest::size))
        .integer("largest", EntryStatements.LARGEST_STEPS);
  }

  private static Parameters owned(List<? extends OwnerRequest> requests) {
    return new Parameters()
        .array("id", bytes(requests, each -> each.id().bytes()))
        .array("token", bytes(requests, each -> EntryColumns.token(each.owner().token())));
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
    List<AttemptResult<ClaimResult>> results =
        new ArrayList<>(Collections.nCopies(claims.size(), new Undecided<>()));
    int share = LargeAnswers.share(claims.size());
    while (rows.next()) {
      int number = rows.getInt(1);
      if (number == 0) {
        byte[] token = rows.getBytes(6);
        if (token != null) {
          granted.put(EntryColumns.token(token), EntryColumns.granted(rows, 2));
        }
      } else {
        results.set(number - 1, held(rows, claims.get(number - 1).claim(), share));
      }
    }
    claimsAreNew = granted.size() == claims.size();
    for (int i = 0; i < claims.size() && !granted.isEmpty(); i++) {
      // Removed, because of two claims with one token only the first one leads.
      ClaimResult grant = granted.remove(claims.get(i).claim().token());
      if (grant != null) {
        results.set(i, new Answered<>(grant));
      }
    }
    return results;
  }

  /** An entry that cannot be read fails its own claims only. */
  private static AttemptResult<ClaimResult> held(ResultSet rows, Claim claim, int share)
      throws SQLException {
    try {
      return EntryColumns.held(rows, 6, claim, share);
    } catch (IllegalArgumentException e) {
      return new AttemptResult.Failed<>(e);
    }
  }

  private static Set<Token> readTokens(ResultSet rows) throws SQLException {
    Set<Token> tokens = new HashSet<>();
    while (rows.next()) {
      tokens.add(EntryColumns.token(rows.getBytes(1)));
    }
    return tokens;
  }

  /**
   * Columns: token, and whether the entry is its owner's; of steps also the bytes taken where the
   * step does not fit. A row that was in use has no result.
   */
  private static Map<Token, AttemptResult<Boolean>> readFlags(
      ResultSet rows, List<? extends OwnerRequest> requests) throws SQLException {
    boolean areSteps = rows.getMetaData().getColumnCount() > 2;
    Map<Token, AttemptResult<Boolean>> results = new HashMap<>();
    while (rows.next()) {
      Token token = EntryColumns.token(rows.getBytes(1));
      boolean isOwners = rows.getBoolean(2);
      int taken = areSteps ? rows.getInt(3) : 0;
      boolean isFull = areSteps && !rows.wasNull();
      results.put(token, isFull ? full(requests, token, taken) : new Answered<>(isOwners));
    }
    return results;
  }

  private static AttemptResult<Boolean> full(
      List<? extends OwnerRequest> requests, Token token, int taken) {
    for (OwnerRequest each : requests) {
      if (each.owner().token().equals(token) && each instanceof StepRequest step) {
        return new AttemptResult.Failed<>(
            EntryStatements.tooManySteps(step.owner().key(), taken + step.size()));
      }
    }
    return new Undecided<>();
  }

  private static <E> int[] ints(List<E> elements, ToIntFunction<E> of) {
    return elements.stream().mapToInt(of).toArray();
  }

  private static <E> String[] texts(List<E> elements, Function<E, String> of) {
    return elements.stream().map(of).toArray(String[]::new);
  }

  private static <E> byte[][] bytes(List<E> elements, Function<E, byte[]> of) {
    return elements.stream().map(of).toArray(byte[][]::new);
  }
}
