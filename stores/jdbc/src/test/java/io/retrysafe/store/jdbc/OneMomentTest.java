// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.jdbc.Request.ClaimRequest;
import io.retrysafe.store.jdbc.Request.CompleteRequest;
import io.retrysafe.store.jdbc.Request.StepRequest;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls on PostgreSQL that are held up in the middle, by a row lock of another transaction or by
 * another call between two of their statements: the answer still belongs to one moment.
 */
final class OneMomentTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration SHORT_LEASE = Duration.ofMillis(100);

  private static PostgresServer server;
  private static DataSource source;
  private static ExecutorService threads;

  private JdbcStore store;
  private StoreContext context;
  private ArrayStatements arrayStatements;
  private Session session;
  private Connection other;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
    source = Databases.postgres(server);
    threads = Executors.newCachedThreadPool();
  }

  @AfterAll
  static void stop() {
    threads.shutdown();
    server.close();
  }

  @BeforeEach
  void open() throws SQLException {
    store = JdbcStore.builder(source).applySchema(true).build();
    context = StoreContext.of(JdbcStore.builder(source));
    arrayStatements = (ArrayStatements) context.batchStatements();
    session = context.sessions().open(PendingRequest.deadline(LEASE));
    // The tests decide how long a lock is held, not the store's settings.
    session.execute("SET lock_timeout = '30s'");
    session.execute("SET statement_timeout = '30s'");
    session.connection().setNetworkTimeout(Runnable::run, 30_000);
    other = source.getConnection();
    other.setAutoCommit(false);
  }

  @AfterEach
  void close() throws SQLException {
    other.rollback();
    other.close();
    session.close();
    context.close();
    store.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCompletionThatWasAppliedIsTrueThoughItsEntryIsForgottenAtOnce(boolean withClaim)
      throws SQLException {
    Claim running = granted(LEASE);
    Claim absent = Samples.claim(Samples.newKey());
    Session watched =
        watched(session, "outcome = CASE WHEN phase >= 3", () -> delete(running.key()));
    PendingRequest<Boolean> applied = completion(running);
    PendingRequest<Boolean> refused = completion(absent);
    List<PendingRequest<?>> calls = new ArrayList<>(List.of(applied, refused));
    if (withClaim) {
      calls.add(claiming(Samples.claim(Samples.newKey())));
    }

    arrayStatements.run(watched, calls);

    assertThat(store.find(running.key())).isEmpty();
    assertThat(applied.result()).isEqualTo(new AttemptResult.Answered<>(true));
    assertThat(refused.result()).isEqualTo(new AttemptResult.Answered<>(false));
  }

  /** The first key's row is being inserted by another transaction, so the second one waits too. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aFenceGrowsThoughTheBatchWaitedForAnotherKey(boolean insertsOnly) throws Exception {
    Claim first = Samples.claim(Samples.newKey());
    Claim second = Samples.claim(Samples.newKey());
    List<PendingRequest<?>> calls = List.of(claiming(first), claiming(second));
    if (insertsOnly) {
      expectNewKeys();
    }
    insert(other, first.key());
    Future<?> batch = run(() -> arrayStatements.run(session, calls));
    awaitBlocked();

    // Meanwhile the second key is claimed, completed, expired and removed.
    Claim earlier = Samples.claim(second.key());
    long fence = ((Granted) store.claim(earlier)).fence();
    assertThat(store.complete(earlier.owner(), Samples.DONE, Duration.ofMillis(1))).isTrue();
    delete(second.key());
    other.rollback();
    batch.get(30, TimeUnit.SECONDS);

    assertThat(((Granted) result(calls.get(1))).fence()).isGreaterThan(fence);
  }

  private void expectNewKeys() throws SQLException {
    arrayStatements.run(
        session,
        List.of(
            claiming(Samples.claim(Samples.newKey())), claiming(Samples.claim(Samples.newKey()))));
    assertThat(arrayStatements.claimsAreNew()).isTrue();
  }

  @Test
  void aSweepLeavesExpiredRowsForLongerThanAClaimMayWait() throws SQLException {
    Claim claim = granted(LEASE);
    assertThat(store.complete(claim.owner(), Samples.DONE, Duration.ofMillis(1))).isTrue();
    shift(claim.key(), Duration.ofSeconds(50));
    store.sweep(1000);
    assertThat(isThere(claim.key())).isTrue();

    shift(claim.key(), Duration.ofSeconds(11));
    store.sweep(1000);
    assertThat(isThere(claim.key())).isFalse();
  }

  /** The claim's own row is in another transaction's way until its lease is over. */
  @ParameterizedTest
  @ValueSource(strings = {"alone", "batch", "inserts only"})
  void aLeaseStandsWhenItIsGrantedAfterAWait(String way) throws Exception {
    Claim claim = Samples.claim(Samples.newKey(), SHORT_LEASE, TakeOver.NONE);
    Claim another = Samples.claim(Samples.newKey());
    if (way.equals("inserts only")) {
      expectNewKeys();
    }
    insert(other, claim.key());
    PendingRequest<ClaimResult> call = claiming(claim);
    Future<?> asked =
        run(
            () -> {
              if (way.equals("alone")) {
                arrayStatements.run(session, List.of(call));
              } else {
                arrayStatements.run(session, List.of(call, claiming(another)));
              }
            });
    awaitBlocked();
    TimeUnit.MILLISECONDS.sleep(SHORT_LEASE.multipliedBy(2).toMillis());
    long end = micros("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint");
    other.rollback();
    asked.get(30, TimeUnit.SECONDS);

    ClaimResult result;
    if (call.result() instanceof AttemptResult.Answered<ClaimResult> answered) {
      result = answered.value();
    } else {
      assertThat(call.result()).isInstanceOf(AttemptResult.Undecided.class);
      result = store.claim(claim);
    }
    assertThat(result).isInstanceOf(Granted.class);
    assertThat(((Granted) result).attempt()).isEqualTo(1);
    assertThat(
            micros(
                "SELECT (extract(epoch FROM lease_until) * 1000000)::bigint FROM retrysafe_entry"
                    + " WHERE key = '"
                    + claim.key().value()
                    + "'"))
        .as("the lease counts from after the wait")
        .isGreaterThanOrEqualTo(end + SHORT_LEASE.toNanos() / 1000);
  }

  @Test
  void aStepWhoseNameIsWrittenMeanwhileIsTrueForItsOwner() throws SQLException {
    Claim claim = granted(LEASE);
    Bytes half = Bytes.wrap(new byte[EntryStatements.LARGEST_STEPS / 2 + 1000]);
    assertThat(store.step(claim.owner(), "first", half)).isTrue();
    Session watched =
        watched(
            session,
            "SELECT length(replace(",
            () -> store.step(claim.owner(), "second", Bytes.utf8("small")));

    assertThat(result(watched, new StepRequest(claim.owner(), "second", half)))
        .isEqualTo(new AttemptResult.Answered<>(true));
    assertThatThrownBy(() -> store.step(claim.owner(), "third", half))
        .isInstanceOf(RefusedCallException.class);
  }

  private AttemptResult<Boolean> result(Session on, Request<Boolean> request) throws SQLException {
    PendingRequest<Boolean> pending = new PendingRequest<>(request, PendingRequest.deadline(LEASE));
    arrayStatements.run(on, List.of(pending));
    return pending.result();
  }

  /** The clock is read late, after the snapshot; the owner releases in between and in time. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anEntryThatWasReleasedInTimeIsNotShownAsLapsed(boolean alone) throws Exception {
    Duration lease = Duration.ofSeconds(2);
    Claim owner = granted(lease);
    execute(
        "CREATE SCHEMA IF NOT EXISTS slow",
        "CREATE SEQUENCE IF NOT EXISTS slow.calls",
        "ALTER SEQUENCE slow.calls RESTART",
        """
        CREATE OR REPLACE FUNCTION slow.clock_timestamp() RETURNS timestamptz LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('slow.calls') > %d THEN
            PERFORM pg_advisory_xact_lock_shared(17);
          END IF;
          RETURN pg_catalog.clock_timestamp();
        END $$"""
            .formatted(alone ? 1 : 0));
    session.execute("SET search_path = slow, public, pg_catalog");
    try (Statement lock = other.createStatement()) {
      lock.execute("SELECT pg_advisory_xact_lock(17)");
    }
    Claim claim = Samples.claim(owner.key());
    PendingRequest<ClaimResult> call = claiming(claim);
    Future<?> asked =
        run(
            () -> {
              if (alone) {
                arrayStatements.run(session, List.of(call));
              } else {
                arrayStatements.run(
                    session, List.of(call, claiming(Samples.claim(Samples.newKey()))));
              }
            });
    // A statement that reads no clock after its snapshot is not held up here at all.
    awaitBlockedOrDone(asked);
    assertThat(store.release(owner.owner(), Release.RESUMABLE)).isTrue();
    TimeUnit.MILLISECONDS.sleep(lease.plusMillis(200).toMillis());
    other.rollback();
    asked.get(30, TimeUnit.SECONDS);

    if (call.result() instanceof AttemptResult.Answered<ClaimResult> answered
        && answered.value() instanceof Held held) {
      Entry entry = held.entry();
      assertThat(entry.isLapsed()).as("%s", entry).isFalse();
    } else {
      // Resumable by now: the claim is granted, or asked again.
      assertThat(call.result()).isNotInstanceOf(AttemptResult.Failed.class);
    }
  }

  private static Future<?> run(Work work) {
    return threads.submit(
        () -> {
          work.run();
          return null;
        });
  }

  private interface Work {
    void run() throws Exception;
  }

  /** Waits until a statement of the session waits for a lock. */
  private void awaitBlocked() throws Exception {
    awaitBlockedOrDone(new CompletableFuture<>());
  }

  private void awaitBlockedOrDone(Future<?> work) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (micros("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0) {
      if (work.isDone()) {
        return;
      }
      assertThat(System.nanoTime()).as("nothing waits for a lock").isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(5);
    }
  }

  /** Returns the session with {@code action} before each statement that begins or contains text. */
  private Session watched(Session real, String text, Runnable action) {
    Connection connection = Databases.before(real.connection(), text, action);
    return new Session(connection, Dialect.POSTGRESQL, List.of(), () -> 0);
  }

  private Claim granted(Duration lease) {
    Claim claim = Samples.claim(Samples.newKey(), lease, TakeOver.NONE);
    assertThat(store.claim(claim)).isInstanceOf(Granted.class);
    return claim;
  }

  private PendingRequest<ClaimResult> claiming(Claim claim) {
    return new PendingRequest<>(
        new ClaimRequest(claim), PendingRequest.deadline(Samples.RETENTION));
  }

  private PendingRequest<Boolean> completion(Claim claim) {
    return new PendingRequest<>(
        new CompleteRequest(claim.owner(), Samples.DONE, Samples.RETENTION),
        PendingRequest.deadline(Samples.RETENTION));
  }

  private static ClaimResult result(PendingRequest<?> call) {
    assertThat(call.result()).isInstanceOf(AttemptResult.Answered.class);
    return (ClaimResult) ((AttemptResult.Answered<?>) call.result()).value();
  }

  private static void insert(Connection connection, OperationKey key) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO retrysafe_entry (id, tenant, endpoint, key, fingerprint, token, phase,"
                + " previous, attempt, fence, created_at, lease_until, expires_at) VALUES"
                + " (?, 't', 'e', 'k', '', '1234567890123456', 0, 0, 1, 1, now(), now(), now())")) {
      statement.setBytes(1, RowId.of(key).bytes());
      statement.executeUpdate();
    }
  }

  private static void delete(OperationKey key) {
    execute("DELETE FROM retrysafe_entry WHERE key = '" + key.value() + "'");
  }

  private static void shift(OperationKey key, Duration time) {
    execute(
        "UPDATE retrysafe_entry SET expires_at = expires_at - interval '"
            + time.toMillis()
            + " ms' WHERE key = '"
            + key.value()
            + "'");
  }

  private static boolean isThere(OperationKey key) throws SQLException {
    return micros("SELECT count(*) FROM retrysafe_entry WHERE key = '" + key.value() + "'") == 1;
  }

  private static long micros(String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getLong(1);
    }
  }

  private static void execute(String... statements) {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
