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
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Previous;
import io.retrysafe.store.Standing;
import io.retrysafe.store.TakeOver;
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
final class ArrayedTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final PostgresServer SERVER = PostgresServer.start();

  private JdbcStore store;
  private Parts parts;
  private Arrayed arrayed;
  private Session session;

  @BeforeEach
  void open() throws SQLException {
    store = JdbcStore.builder(Databases.postgres(SERVER)).applySchema(true).build();
    parts = Parts.of(JdbcStore.builder(Databases.postgres(SERVER)));
    arrayed = Objects.requireNonNull(parts.arrayed());
    session = parts.sessions().open(Call.deadline(LEASE));
  }

  @AfterEach
  void close() {
    session.close();
    parts.close();
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
    store.release(unknown.owner(), LeaveAs.UNKNOWN);
    Claim fresh = Samples.claim(Samples.newKey());
    Claim replay = Samples.claim(settled.key());
    Claim other = Samples.claim(running.key());
    Claim next = Samples.claim(unknown.key(), LEASE, TakeOver.ALWAYS);

    expectNewKeys();
    Map<Claim, Reply<ClaimResult>> first = put(fresh, replay, other, next, mine);

    assertThat(result(first, fresh)).isInstanceOf(Granted.class);
    assertThat(List.of(first.get(replay), first.get(other), first.get(next), first.get(mine)))
        .allMatch(reply -> reply instanceof Reply.Undecided);
    assertThat(arrayed.isFresh()).isFalse();

    Map<Claim, Reply<ClaimResult>> second = put(replay, other, next, mine);

    assertThat(((Held) result(second, replay)).entry().outcome()).contains(Samples.DONE);
    assertThat(((Held) result(second, other)).entry().standing()).isEqualTo(Standing.RUNNING);
    Granted taken = (Granted) result(second, next);
    assertThat(taken.attempt()).isEqualTo(2);
    assertThat(taken.previous()).isEqualTo(Previous.UNKNOWN);
    assertThat(((Granted) result(second, mine)).attempt()).isEqualTo(1);
    assertThat(arrayed.isFresh()).isFalse();
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

    Map<Claim, Reply<ClaimResult>> replies = put(retry, fresh);

    assertThat(replies.get(retry)).isInstanceOf(Reply.Failed.class);
    assertThat(result(replies, fresh)).isInstanceOf(Granted.class);
  }

  @Test
  void ofTwoClaimsOfANewKeyOneIsGranted() throws SQLException {
    OperationKey key = Samples.newKey();
    Claim one = Samples.claim(key);
    Claim two = Samples.claim(key);

    expectNewKeys();
    Map<Claim, Reply<ClaimResult>> replies = put(one, two);

    assertThat(List.of(replies.get(one), replies.get(two)))
        .filteredOn(reply -> reply instanceof Reply.Answered)
        .hasSize(1);
    assertThat(arrayed.isFresh()).isFalse();
  }

  /** Two processes whose batches have keys in common would otherwise wait for each other. */
  @Test
  void newKeysAreInsertedInTheOrderOfTheBatch() throws SQLException {
    expectNewKeys();
    List<Call<?>> calls = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      calls.add(call(Samples.claim(Samples.newKey())));
    }
    // Not the order of the index.
    calls.sort(Comparator.comparing(Call<?>::id).reversed());

    List<byte[]> inserted = new ArrayList<>();
    try (Statement statement = session.connection().createStatement()) {
      statement.execute("TRUNCATE retrysafe_entry");
      arrayed.run(session, calls);
      try (ResultSet rows =
          statement.executeQuery("SELECT id FROM retrysafe_entry ORDER BY ctid")) {
        while (rows.next()) {
          inserted.add(rows.getBytes(1));
        }
      }
    }

    assertThat(arrayed.isFresh()).isTrue();
    assertThat(inserted)
        .containsExactlyElementsOf(calls.stream().map(c -> c.id().bytes()).toList());
  }

  @Test
  void completionsComeWithClaimsOfNewKeys() throws SQLException {
    Claim running = granted();
    Claim fresh = Samples.claim(Samples.newKey());

    expectNewKeys();
    Call<ClaimResult> claiming = call(fresh);
    Call<Boolean> completing = completion(running);
    arrayed.run(session, sorted(claiming, completing));

    assertThat(claiming.reply()).isInstanceOf(Reply.Answered.class);
    assertThat(completing.reply()).isEqualTo(new Reply.Answered<>(true));
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
    store.release(overtaken.owner(), LeaveAs.UNKNOWN);
    Claim next = Samples.claim(overtaken.key(), LEASE, TakeOver.ALWAYS);
    assertThat(store.claim(next)).isInstanceOf(Granted.class);
    Claim absent = Samples.claim(Samples.newKey());
    Claim expired = granted();
    expire(expired.key());

    Map<Claim, Call<Boolean>> completions = new LinkedHashMap<>();
    for (Claim claim : List.of(running, done, overtaken, absent, expired)) {
      completions.put(claim, completion(claim));
    }
    Call<ClaimResult> claiming = call(Samples.claim(Samples.newKey()));
    List<Call<?>> calls = new ArrayList<>(completions.values());
    if (withClaim) {
      calls.add(claiming);
    }
    arrayed.run(session, sorted(calls.toArray(new Call<?>[0])));

    Map<Claim, Reply<Boolean>> replies = new LinkedHashMap<>();
    completions.forEach((claim, call) -> replies.put(claim, call.reply()));
    assertThat(replies)
        .containsEntry(running, new Reply.Answered<>(true))
        .containsEntry(done, new Reply.Answered<>(true))
        .containsEntry(overtaken, new Reply.Answered<>(false))
        .containsEntry(absent, new Reply.Answered<>(false))
        .containsEntry(expired, new Reply.Answered<>(false));
    assertThat(store.find(running.key()).orElseThrow().outcome()).contains(Samples.DONE);
    assertThat(store.find(done.key()).orElseThrow().outcome()).contains(before);
    assertThat(store.find(next.key()).orElseThrow().standing()).isEqualTo(Standing.RUNNING);
    assertThat(claiming.reply()).isInstanceOf(withClaim ? Reply.Answered.class : Reply.None.class);
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
    assertThat(arrayed.isFresh()).isTrue();
  }

  private Map<Claim, Reply<ClaimResult>> put(Claim... claims) throws SQLException {
    Map<Claim, Call<ClaimResult>> calls = new LinkedHashMap<>();
    for (Claim claim : claims) {
      calls.put(claim, call(claim));
    }
    arrayed.run(session, sorted(calls.values().toArray(new Call<?>[0])));
    Map<Claim, Reply<ClaimResult>> replies = new LinkedHashMap<>();
    calls.forEach((claim, call) -> replies.put(claim, call.reply()));
    return replies;
  }

  private Call<ClaimResult> call(Claim claim) {
    RowId id = RowId.of(claim.key());
    return new Call<>(
        id, new Claiming(claim, id, parts.questions(), arrayed), Call.deadline(LEASE));
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

  private Call<Boolean> completion(Claim claim) {
    RowId id = RowId.of(claim.key());
    return new Call<>(
        id,
        new Completing(claim.owner(), id, Samples.DONE, Samples.RETENTION, parts.questions()),
        Call.deadline(LEASE));
  }

  private static List<Call<?>> sorted(Call<?>... calls) {
    return Stream.of(calls).sorted(Comparator.comparing(Call::id)).toList();
  }

  private static ClaimResult result(Map<Claim, Reply<ClaimResult>> replies, Claim claim) {
    assertThat(replies.get(claim)).isInstanceOf(Reply.Answered.class);
    return ((Reply.Answered<ClaimResult>) Objects.requireNonNull(replies.get(claim))).value();
  }
}
