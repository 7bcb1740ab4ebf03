// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.Release;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.jdbc.Request.ClaimRequest;
import io.retrysafe.store.jdbc.Request.CompleteRequest;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls that share statements: each gets its own answer, also where most of them are not what the
 * statement was made for. Claims are taken for claims of new keys when the last ones were.
 */
final class ArrayStatementsTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final PostgresServer SERVER = PostgresServer.start();

  private JdbcStore store;
  private StoreContext context;
  private ArrayStatements arrayStatements;
  private Session session;

  @BeforeEach
  void open() throws SQLException {
    store = JdbcStore.builder(Databases.postgres(SERVER)).applySchema(true).build();
    context = StoreContext.of(JdbcStore.builder(Databases.postgres(SERVER)));
    arrayStatements = (ArrayStatements) context.batchStatements();
    session = context.sessions().open(PendingRequest.deadline(LEASE));
  }

  @AfterEach
  void close() {
    session.close();
    context.close();
    store.close();
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void aKeyThatIsNotNewIsLeftToTheNextQuestion() throws SQLException {
    Claim settled = granted();
    store.complete(settled.owner(), Samples.DONE, Samples.RETENTION);
    Claim running = granted();
    Claim mine = granted();
    Claim unknown = granted();
    store.release(unknown.owner(), Release.UNKNOWN);
    Claim fresh = Samples.claim(Samples.newKey());
    Claim replay = Samples.claim(settled.key());
    Claim other = Samples.claim(running.key());
    Claim next = Samples.claim(unknown.key(), LEASE, TakeOver.ALWAYS);

    expectNewKeys();
    Map<Claim, AttemptResult<ClaimResult>> first = put(fresh, replay, other, next, mine);

    assertThat(result(first, fresh)).isInstanceOf(Granted.class);
    assertThat(List.of(first.get(replay), first.get(other), first.get(next), first.get(mine)))
        .allMatch(reply -> reply instanceof AttemptResult.Undecided);
    assertThat(arrayStatements.claimsAreNew()).isFalse();

    Map<Claim, AttemptResult<ClaimResult>> second = put(replay, other, next, mine);

    assertThat(((Held) result(second, replay)).entry().outcome()).contains(Samples.DONE);
    assertThat(((Held) result(second, other)).entry().phase()).isEqualTo(Phase.RUNNING);
    Granted taken = (Granted) result(second, next);
    assertThat(taken.attempt()).isEqualTo(2);
    assertThat(taken.previous()).isEqualTo(PreviousPhase.UNKNOWN);
    assertThat(((Granted) result(second, mine)).attempt()).isEqualTo(1);
    assertThat(arrayStatements.claimsAreNew()).isFalse();
  }

  @Test
  void anEntryThatCannotBeReadIsTheTroubleOfItsOwnClaimOnly() throws SQLException {
    Claim damaged = granted();
    store.complete(damaged.owner(), Samples.DONE, Samples.RETENTION);
    try (PreparedStatement update =
        session
            .connection()
            .prepareStatement("UPDATE retrysafe_entry SET outcome = '?' WHERE id = ?")) {
      update.setBytes(1, RowId.of(damaged.key()).bytes());
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
    Claim retry = Samples.claim(damaged.key());
    Claim fresh = Samples.claim(Samples.newKey());

    Map<Claim, AttemptResult<ClaimResult>> replies = put(retry, fresh);

    assertThat(replies.get(retry)).isInstanceOf(AttemptResult.Failed.class);
    assertThat(result(replies, fresh)).isInstanceOf(Granted.class);
  }

  @Test
  void ofTwoClaimsOfANewKeyOneIsGranted() throws SQLException {
    OperationKey key = Samples.newKey();
    Claim one = Samples.claim(key);
    Claim two = Samples.claim(key);

    expectNewKeys();
    Map<Claim, AttemptResult<ClaimResult>> replies = put(one, two);

    assertThat(List.of(replies.get(one), replies.get(two)))
        .filteredOn(reply -> reply instanceof AttemptResult.Answered)
        .hasSize(1);
    assertThat(arrayStatements.claimsAreNew()).isFalse();
  }

  /** Two processes whose batches have keys in common would otherwise wait for each other. */
  @Test
  void newKeysAreInsertedInTheOrderOfTheBatch() throws SQLException {
    expectNewKeys();
    List<PendingRequest<?>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      calls.add(call(Samples.claim(Samples.newKey())));
    }
    // Not the order of the index.
    calls.sort(Comparator.comparing(PendingRequest<?>::id).reversed());

    List<byte[]> inserted = new ArrayList<>();
    try (Statement statement = session.connection().createStatement()) {
      statement.execute("TRUNCATE retrysafe_entry");
      arrayStatements.run(session, calls);
      try (ResultSet rows =
          statement.executeQuery("SELECT id FROM retrysafe_entry ORDER BY ctid")) {
        while (rows.next()) {
          inserted.add(rows.getBytes(1));
        }
      }
    }

    assertThat(arrayStatements.claimsAreNew()).isTrue();
    assertThat(inserted)
        .containsExactlyElementsOf(calls.stream().map(c -> c.id().bytes()).toList());
  }

  @Test
  void completionsComeWithClaimsOfNewKeys() throws SQLException {
    Claim running = granted();
    Claim fresh = Samples.claim(Samples.newKey());

    expectNewKeys();
    PendingRequest<ClaimResult> claiming = call(fresh);
    PendingRequest<Boolean> completing = completion(running);
    arrayStatements.run(session, sorted(claiming, completing));

    assertThat(claiming.result()).isInstanceOf(AttemptResult.Answered.class);
    assertThat(completing.result()).isEqualTo(new AttemptResult.Answered<>(true));
    assertThat(store.find(running.key()).orElseThrow().outcome()).contains(Samples.DONE);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCompletionOfAnEntryThatIsNotOwnedIsToldSoAndTheOthersAreDone(boolean withClaim)
      throws SQLException {
    Claim running = granted();
    Claim done = granted();
    Outcome before = Outcome.of(Bytes.utf8("before"));
    store.complete(done.owner(), before, Samples.RETENTION);
    Claim overtaken = granted();
    store.release(overtaken.owner(), Release.UNKNOWN);
    Claim next = Samples.claim(overtaken.key(), LEASE, TakeOver.ALWAYS);
    assertThat(store.claim(next)).isInstanceOf(Granted.class);
    Claim absent = Samples.claim(Samples.newKey());
    Claim expired = granted();
    expire(expired.key());

    Map<Claim, PendingRequest<Boolean>> completions = new LinkedHashMap<>();
    for (Claim claim : List.of(running, done, overtaken, absent, expired)) {
      completions.put(claim, completion(claim));
    }
    PendingRequest<ClaimResult> claiming = call(Samples.claim(Samples.newKey()));
    List<PendingRequest<?>> calls = new ArrayList<>(completions.values());
    if (withClaim) {
      calls.add(claiming);
    }
    arrayStatements.run(session, sorted(calls.toArray(new PendingRequest<?>[0])));

    Map<Claim, AttemptResult<Boolean>> replies = new LinkedHashMap<>();
    completions.forEach((claim, call) -> replies.put(claim, call.result()));
    assertThat(replies)
        .containsEntry(running, new AttemptResult.Answered<>(true))
        .containsEntry(done, new AttemptResult.Answered<>(true))
        .containsEntry(overtaken, new AttemptResult.Answered<>(false))
        .containsEntry(absent, new AttemptResult.Answered<>(false))
        .containsEntry(expired, new AttemptResult.Answered<>(false));
    assertThat(store.find(running.key()).orElseThrow().outcome()).contains(Samples.DONE);
    assertThat(store.find(done.key()).orElseThrow().outcome()).contains(before);
    assertThat(store.find(next.key()).orElseThrow().phase()).isEqualTo(Phase.RUNNING);
    assertThat(claiming.result())
        .isInstanceOf(withClaim ? AttemptResult.Answered.class : AttemptResult.None.class);
  }

  /** Through all lanes, and with a guess that is right for a while and then wrong. */
  @Test
  void aFloodOfNewKeysAndThenOfTheSameAgainIsAnsweredRightly() throws Exception {
    List<Claim> claims = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      claims.add(Samples.claim(Samples.newKey()));
    }
    assertThat(asked(claims)).allMatch(result -> result instanceof Granted);
    for (Claim claim : claims) {
      assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
    }
    List<Claim> again = new ArrayList<>();
    for (int i = 0; i < 600; i++) {
      again.add(Samples.claim(i % 2 == 0 ? Samples.newKey() : claims.get(i).key()));
    }
    List<ClaimResult> results = asked(again);
    for (int i = 0; i < 600; i++) {
      assertThat(results.get(i)).isInstanceOf(i % 2 == 0 ? Granted.class : Held.class);
    }
  }

  private List<ClaimResult> asked(List<Claim> claims) throws Exception {
    List<CompletableFuture<ClaimResult>> asked = new ArrayList<>();
    for (Claim claim : claims) {
      asked.add(store.claim(claim, ForkJoinPool.commonPool()).toCompletableFuture());
    }
    List<ClaimResult> results = new ArrayList<>();
    for (CompletableFuture<ClaimResult> each : asked) {
      results.add(each.get(30, TimeUnit.SECONDS));
    }
    return results;
  }

  private Claim granted() {
    Claim claim = Samples.claim(Samples.newKey());
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    return claim;
  }

  private void expectNewKeys() throws SQLException {
    put(Samples.claim(Samples.newKey()), Samples.claim(Samples.newKey()));
    assertThat(arrayStatements.claimsAreNew()).isTrue();
  }

  private Map<Claim, AttemptResult<ClaimResult>> put(Claim... claims) throws SQLException {
    Map<Claim, PendingRequest<ClaimResult>> calls = new LinkedHashMap<>();
    for (Claim claim : claims) {
      calls.put(claim, call(claim));
    }
    arrayStatements.run(session, sorted(calls.values().toArray(new PendingRequest<?>[0])));
    Map<Claim, AttemptResult<ClaimResult>> replies = new LinkedHashMap<>();
    calls.forEach((claim, call) -> replies.put(claim, call.result()));
    return replies;
  }

  private PendingRequest<ClaimResult> call(Claim claim) {
    return new PendingRequest<>(new ClaimRequest(claim), PendingRequest.deadline(LEASE));
  }

  private void expire(OperationKey key) throws SQLException {
    try (PreparedStatement update =
        session
            .connection()
            .prepareStatement(
                "UPDATE retrysafe_entry SET expires_at = clock_timestamp() WHERE id = ?")) {
      update.setBytes(1, RowId.of(key).bytes());
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  private PendingRequest<Boolean> completion(Claim claim) {
    return new PendingRequest<>(
        new CompleteRequest(claim.owner(), Samples.DONE, Samples.RETENTION),
        PendingRequest.deadline(LEASE));
  }

  private static List<PendingRequest<?>> sorted(PendingRequest<?>... calls) {
    return Stream.of(calls).sorted(Comparator.comparing(PendingRequest::id)).toList();
  }

  private static ClaimResult result(Map<Claim, AttemptResult<ClaimResult>> replies, Claim claim) {
    assertThat(replies.get(claim)).isInstanceOf(AttemptResult.Answered.class);
    return ((AttemptResult.Answered<ClaimResult>) Objects.requireNonNull(replies.get(claim)))
        .value();
  }
}
