// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Phase;
import io.retrysafe.store.Release;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.jdbc.Request.ReleaseRequest;
import io.retrysafe.store.jdbc.Request.StepRequest;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Releases, steps and renewals that share statements or transactions with others. */
final class OwnersBatchesTest {
  private static final Duration LEASE = Duration.ofSeconds(30);

  /** Commits take 2 ms, as on a slow disk. */
  private static final PostgresServer POSTGRES =
      PostgresServer.start(Map.of("commit_delay", "2000", "commit_siblings", "0"));

  private static final MariaDbServer MARIADB = MariaDbServer.start();
  private static final DataSource SQLITE = Databases.sqlite(Databases.newFile());

  @AfterAll
  static void stop() {
    POSTGRES.close();
    MARIADB.close();
  }

  private record Database(String name, DataSource source) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Database> databases() {
    return Stream.concat(servers(), Stream.of(new Database("SQLite", SQLITE)));
  }

  static Stream<Database> servers() {
    return Stream.of(
        new Database("PostgreSQL", Databases.postgres(POSTGRES)),
        new Database("MariaDB", Databases.mariaDb(MARIADB)));
  }

  /** A store, and calls of it that go through one batch. */
  private static final class Batches implements AutoCloseable {
    final StoreContext context;
    final JdbcStore store;

    Batches(Database database) {
      this(JdbcStore.builder(database.source).applySchema(true).timeout(Duration.ofSeconds(20)));
    }

    Batches(JdbcStore.Builder builder) {
      this.context = StoreContext.of(builder);
      this.store = new JdbcStore(context);
    }

    List<AttemptResult<Boolean>> run(List<? extends Request<Boolean>> requests)
        throws SQLException {
      List<PendingRequest<Boolean>> pending = new ArrayList<>();
      for (Request<Boolean> request : requests) {
        pending.add(new PendingRequest<>(request, PendingRequest.deadline(LEASE)));
      }
      List<PendingRequest<?>> sorted = new ArrayList<>(pending);
      sorted.sort(Comparator.comparing(PendingRequest::id));
      Session session = context.sessions().open(PendingRequest.deadline(LEASE));
      try {
        context.batchStatements().run(session, sorted);
      } finally {
        session.close();
      }
      return pending.stream().map(PendingRequest::result).toList();
    }

    List<AttemptResult<Boolean>> release(Map<Owner, Release> how) throws SQLException {
      List<ReleaseRequest> requests = new ArrayList<>();
      how.forEach((owner, as) -> requests.add(new ReleaseRequest(owner, as)));
      return run(requests);
    }

    Claim granted() {
      Claim claim = Samples.claim(Samples.newKey(), LEASE, TakeOver.ALWAYS);
      assertThat(store.claim(claim)).isInstanceOf(Granted.class);
      return claim;
    }

    Claim overtaking(Claim claim) {
      store.release(claim.owner(), Release.UNKNOWN);
      Claim next = Samples.claim(claim.key(), LEASE, TakeOver.ALWAYS);
      assertThat(store.claim(next)).isInstanceOf(Granted.class);
      return next;
    }

    @Override
    public void close() {
      store.close();
    }
  }

  /** Every state that an entry can be in, with the owner that releases it. */
  private static List<Owner> states(Batches it) {
    Claim running = it.granted();
    Claim withSteps = it.granted();
    it.store.step(withSteps.owner(), "a", Bytes.utf8("1"));
    Claim before = it.granted();
    Claim after = it.overtaking(before);
    Claim settled = it.granted();
    it.store.complete(settled.owner(), Samples.DONE, Samples.RETENTION);
    Claim freed = it.granted();
    it.store.release(freed.owner(), Release.FREE);
    Claim unknown = it.granted();
    it.store.release(unknown.owner(), Release.UNKNOWN);
    Claim resumable = it.granted();
    it.store.release(resumable.owner(), Release.RESUMABLE);
    Claim absent = Samples.claim(Samples.newKey());
    return Stream.of(running, withSteps, after, settled, freed, unknown, resumable, absent)
        .map(Claim::owner)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("databases")
  void aReleaseIsTheSameInABatchAndAlone(Database database) throws Exception {
    try (Batches it = new Batches(database)) {
      for (Release how : Release.values()) {
        List<Owner> alone = states(it);
        List<Owner> together = states(it);
        List<Boolean> expected = new ArrayList<>();
        for (Owner owner : alone) {
          expected.add(it.store.release(owner, how));
        }
        Map<Owner, Release> all = new LinkedHashMap<>();
        together.forEach(owner -> all.put(owner, how));
        List<AttemptResult<Boolean>> replies = it.release(all);

        assertThat(replies)
            .as("released as %s", how)
            .containsExactlyElementsOf(
                expected.stream()
                    .<AttemptResult<Boolean>>map(AttemptResult.Answered::new)
                    .toList());
        for (int i = 0; i < alone.size(); i++) {
          assertThat(standing(it.store, together.get(i).key()))
              .isEqualTo(standing(it.store, alone.get(i).key()));
        }
        assertThat(it.release(all)).as("again").isEqualTo(replies);
      }
    }
  }

  private static String standing(JdbcStore store, OperationKey key) {
    return store.find(key).map(entry -> entry.phase().toString()).orElse("absent");
  }

  @ParameterizedTest
  @MethodSource("databases")
  void anOwnerThatWasOvertakenReleasesNothing(Database database) throws Exception {
    try (Batches it = new Batches(database)) {
      Claim before = it.granted();
      Claim after = it.overtaking(before);
      Claim other = it.granted();
      assertThat(it.release(Map.of(before.owner(), Release.FREE))).containsExactly(no());
      Map<Owner, Release> both = new LinkedHashMap<>();
      both.put(before.owner(), Release.UNKNOWN);
      both.put(other.owner(), Release.FREE);
      assertThat(it.release(both)).containsExactly(no(), yes());
      assertThat(it.store.find(after.key()).orElseThrow().phase()).isEqualTo(Phase.RUNNING);
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void stepsThatComeTogetherAreAllKeptAndEachIsToldWhatBecameOfIt(Database database)
      throws Exception {
    try (Batches it = new Batches(database)) {
      Claim one = it.granted();
      Claim two = it.granted();
      Claim full = it.granted();
      it.store.step(two.owner(), "a", Bytes.utf8("before"));
      it.store.step(full.owner(), "a", Bytes.wrap(new byte[60_000]));
      Claim absent = Samples.claim(Samples.newKey());
      List<StepRequest> steps =
          List.of(
              new StepRequest(one.owner(), "a", Bytes.utf8("1")),
              new StepRequest(one.owner(), "b", Bytes.utf8("2")),
              new StepRequest(two.owner(), "a", Bytes.utf8("again")),
              new StepRequest(full.owner(), "b", Bytes.wrap(new byte[10_000])),
              new StepRequest(absent.owner(), "a", Bytes.utf8("3")));
      List<AttemptResult<Boolean>> replies = it.run(steps);
      assertThat(replies.subList(0, 3)).containsExactly(yes(), yes(), yes());
      assertThat(replies.get(3)).isInstanceOf(AttemptResult.Failed.class);
      assertThat(replies.get(4)).isEqualTo(no());

      it.store.release(one.owner(), Release.RESUMABLE);
      it.store.release(two.owner(), Release.RESUMABLE);
      assertThat(steps(it.store, one.key()))
          .isEqualTo(Map.of("a", Bytes.utf8("1"), "b", Bytes.utf8("2")));
      assertThat(steps(it.store, two.key())).isEqualTo(Map.of("a", Bytes.utf8("before")));
    }
  }

  private static Map<String, Bytes> steps(JdbcStore store, OperationKey key) {
    Claim claim = Samples.claim(key, LEASE, TakeOver.ALWAYS);
    return ((Granted) store.claim(claim)).steps();
  }

  @Test
  void releasesAndStepsOfOneBatchDoNotMixTheirAnswersUp() throws Exception {
    try (Batches it = new Batches(servers().findFirst().orElseThrow())) {
      List<Request<Boolean>> requests = new ArrayList<>();
      List<AttemptResult<Boolean>> expected = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        Claim claim = i % 4 < 2 ? it.granted() : Samples.claim(Samples.newKey());
        requests.add(
            i % 2 == 0
                ? new StepRequest(claim.owner(), "a", Bytes.utf8("1"))
                : new ReleaseRequest(claim.owner(), Release.FREE));
        expected.add(i % 4 < 2 ? yes() : no());
      }
      assertThat(it.run(requests)).containsExactlyElementsOf(expected);
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void renewalsAreSplitAndTellWhoStillOwns(Database database) throws Exception {
    try (Batches it = new Batches(database)) {
      Set<Owner> running = claimAll(it.store, 1_300);
      Set<Owner> all = new HashSet<>(running);
      for (int i = 0; i < 20; i++) {
        all.add(Samples.claim(Samples.newKey()).owner());
      }
      Claim before = it.granted();
      it.overtaking(before);
      all.add(before.owner());
      assertThat(it.store.renew(all, Duration.ofHours(2))).isEqualTo(running);
      OperationKey any = running.iterator().next().key();
      assertThat(it.store.find(any).orElseThrow().leaseLeft()).isGreaterThan(Duration.ofHours(1));
      assertThat(it.store.renew(Set.of(), LEASE)).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("servers")
  void aRowThatIsInUseKeepsNoOtherLeaseFromBeingRenewed(Database database) throws Exception {
    JdbcStore.Builder builder = JdbcStore.builder(database.source).applySchema(true);
    try (Batches it = new Batches(builder.timeout(Duration.ofSeconds(3)));
        Connection other = database.source.getConnection()) {
      Set<Owner> owners = claimAll(it.store, 700);
      Owner locked = owners.iterator().next();
      other.setAutoCommit(false);
      lock(other, locked.key());
      assertThatThrownBy(() -> it.store.renew(owners, Duration.ofHours(2)))
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("1 of 700 entries are in use");
      other.rollback();
      for (Owner owner : owners) {
        Duration left = it.store.find(owner.key()).orElseThrow().leaseLeft();
        if (!owner.equals(locked)) {
          assertThat(left).isGreaterThan(Duration.ofHours(1));
        }
      }
      assertThat(it.store.renew(owners, Duration.ofHours(2))).hasSize(700);
    }
  }

  private static void lock(Connection connection, OperationKey key) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT 1 FROM retrysafe_entry WHERE id = ? FOR UPDATE")) {
      statement.setBytes(1, RowId.of(key).bytes());
      statement.execute();
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void aRenewalDoesNotWaitBehindTheCallsThatQueue(Database database) throws Exception {
    try (Batches it = new Batches(database)) {
      Set<Owner> owners = claimAll(it.store, 600);
      List<CompletableFuture<ClaimResult>> many = new ArrayList<>();
      for (int i = 0; i < 8_000; i++) {
        Claim claim = Samples.claim(Samples.newKey());
        many.add(it.store.claim(claim, ForkJoinPool.commonPool()).toCompletableFuture());
      }
      assertThat(it.store.renew(owners, LEASE)).hasSize(600);
      assertThat(many).as("calls that came before").anyMatch(each -> !each.isDone());
      for (CompletableFuture<ClaimResult> each : many) {
        each.get(60, TimeUnit.SECONDS);
      }
    }
  }

  /** One commit each would take 5,000 times 2 ms, over the few connections of the store. */
  @Test
  void fiveThousandReleasesAtOnceAreAllAnswered() throws Exception {
    Database database = servers().findFirst().orElseThrow();
    try (JdbcStore store = JdbcStore.builder(database.source).applySchema(true).build()) {
      Set<Owner> owners = claimAll(store, 5_000);
      CountDownLatch start = new CountDownLatch(1);
      List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
      List<Thread> threads = new ArrayList<>();
      for (Owner owner : owners) {
        Thread thread =
            new Thread(
                null,
                () -> {
                  try {
                    start.await();
                    assertThat(store.release(owner, Release.FREE)).isTrue();
                  } catch (Throwable e) {
                    failures.add(e);
                  }
                },
                "release",
                128 * 1024);
        thread.start();
        threads.add(thread);
      }
      start.countDown();
      for (Thread thread : threads) {
        thread.join(60_000);
      }
      assertThat(failures).isEmpty();
      assertThat(owners).allMatch(owner -> store.find(owner.key()).isEmpty());
    }
  }

  private static Set<Owner> claimAll(JdbcStore store, int count) throws Exception {
    List<Claim> claims =
        Stream.generate(() -> Samples.claim(Samples.newKey())).limit(count).toList();
    List<CompletableFuture<ClaimResult>> granted = new ArrayList<>();
    Set<Owner> owners = new HashSet<>();
    for (Claim claim : claims) {
      granted.add(store.claim(claim, ForkJoinPool.commonPool()).toCompletableFuture());
      owners.add(claim.owner());
    }
    for (CompletableFuture<ClaimResult> each : granted) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
    }
    return owners;
  }

  private static AttemptResult<Boolean> yes() {
    return new AttemptResult.Answered<>(true);
  }

  private static AttemptResult<Boolean> no() {
    return new AttemptResult.Answered<>(false);
  }
}
