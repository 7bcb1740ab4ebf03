// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Contended;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Phase;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testing.servers.PostgresServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What happens when the database is not there, goes away, hangs, or does not want to. */
final class PostgresFaultsTest {

  @Test
  void noAcknowledgedCompletionIsLostWhenTheServerIsKilled() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        JdbcStore store = JdbcStore.builder(Databases.postgres(server)).applySchema(true).build()) {
      Map<OperationKey, Boolean> acknowledged = new ConcurrentHashMap<>();
      Map<OperationKey, Boolean> begun = new ConcurrentHashMap<>();
      AtomicBoolean over = new AtomicBoolean();
      ExecutorService callers = Executors.newFixedThreadPool(32);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 32; i++) {
        running.add(callers.submit(() -> completeUntil(over, store, begun, acknowledged)));
      }
      for (int kill = 0; kill < 3; kill++) {
        int before = acknowledged.size();
        await(() -> acknowledged.size() > before + 200);
        server.kill();
        server.restart();
      }
      int before = acknowledged.size();
      await(() -> acknowledged.size() > before + 200);
      over.set(true);
      for (Future<?> each : running) {
        each.get(30, TimeUnit.SECONDS);
      }
      callers.shutdown();

      for (OperationKey key : acknowledged.keySet()) {
        assertThat(store.find(key)).get().extracting(Entry::phase).isEqualTo(Phase.SETTLED);
      }
      // Whoever crashed in between is not stuck: the key can be taken over once its lease is over.
      begun.keySet().removeAll(acknowledged.keySet());
      for (OperationKey key : begun.keySet()) {
        await(() -> isMineOrSettled(store, key));
      }
    }
  }

  private static boolean isMineOrSettled(JdbcStore store, OperationKey key) {
    Claim claim = Samples.claim(key, Duration.ofMillis(300), TakeOver.ALWAYS);
    ClaimResult result = store.claim(claim);
    return result instanceof Granted
        || (result instanceof Held held && held.entry().phase() == Phase.SETTLED);
  }

  private static void completeUntil(
      AtomicBoolean over,
      JdbcStore store,
      Map<OperationKey, Boolean> begun,
      Map<OperationKey, Boolean> acknowledged) {
    while (!over.get()) {
      Claim claim = Samples.claim(Samples.newKey(), Duration.ofMillis(300), TakeOver.NONE);
      begun.put(claim.key(), true);
      try {
        if (store.claim(claim) instanceof Granted
            && store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)) {
          acknowledged.put(claim.key(), true);
        }
      } catch (NoAnswerException e) {
        // The server is down just now.
      }
    }
  }

  @Test
  void aCallWhoseConnectionIsCutIsRepeatedAndRecognised() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        JdbcStore store = JdbcStore.builder(Databases.postgres(server)).applySchema(true).build()) {
      AtomicBoolean over = new AtomicBoolean();
      ExecutorService callers = Executors.newFixedThreadPool(16);
      List<Future<Integer>> running = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        running.add(
            callers.submit(
                () -> {
                  int calls = 0;
                  while (!over.get()) {
                    Claim claim = Samples.claim(Samples.newKey());
                    assertThat(store.claim(claim))
                        .isInstanceOfSatisfying(
                            Granted.class, granted -> assertThat(granted.attempt()).isEqualTo(1));
                    assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION))
                        .isTrue();
                    calls++;
                  }
                  return calls;
                }));
      }
      int cut = 0;
      for (int i = 0; i < 20; i++) {
        TimeUnit.MILLISECONDS.sleep(30);
        cut += cutAll(server);
      }
      over.set(true);
      int calls = 0;
      for (Future<Integer> each : running) {
        calls += each.get(30, TimeUnit.SECONDS);
      }
      callers.shutdown();
      assertThat(cut).isGreaterThan(10);
      assertThat(calls).isGreaterThan(50);
    }
  }

  private static int cutAll(PostgresServer server) throws SQLException {
    return count(
        server,
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            + " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'");
  }

  @Test
  void aServerThatHangsIsUnavailableInTimeAndThenThereAgain() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        JdbcStore store =
            JdbcStore.builder(Databases.postgres(server))
                .timeout(Duration.ofMillis(400))
                .applySchema(true)
                .build()) {
      store.claim(Samples.claim(Samples.newKey()));
      signal("-STOP", server);
      try {
        long start = System.nanoTime();
        assertThatThrownBy(() -> store.claim(Samples.claim(Samples.newKey())))
            .isInstanceOf(NoAnswerException.class)
            .hasMessageContaining("PostgreSQL did not answer within PT0.4S");
        assertThatThrownBy(() -> store.find(Samples.newKey()))
            .isInstanceOf(NoAnswerException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(2));
      } finally {
        signal("-CONT", server);
      }
      await(() -> answers(store));
    }
  }

  private static boolean answers(JdbcStore store) {
    try {
      return store.claim(Samples.claim(Samples.newKey())) instanceof Granted;
    } catch (NoAnswerException e) {
      return false;
    }
  }

  private static void signal(String signal, PostgresServer server)
      throws IOException, InterruptedException {
    ProcessHandle first = ProcessHandle.of(server.pid()).orElseThrow();
    List<String> command = new ArrayList<>(List.of("kill", signal, Long.toString(first.pid())));
    first.descendants().forEach(each -> command.add(Long.toString(each.pid())));
    new ProcessBuilder(command).start().waitFor();
  }

  @Test
  void aStoreWaitsForItsDatabaseAtTheStart() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      JdbcSchema.of(Databases.postgres(server)).apply();
      server.kill();
      assertThatThrownBy(
              () ->
                  JdbcStore.builder(Databases.postgres(server)).startWithin(Duration.ZERO).build())
          .isInstanceOf(NoAnswerException.class)
          .hasMessageContaining("the database of the store cannot be reached")
          .hasMessageContaining("refused");
      ExecutorService starter = Executors.newSingleThreadExecutor();
      Future<JdbcStore> starting =
          starter.submit(() -> JdbcStore.create(Databases.postgres(server)));
      TimeUnit.MILLISECONDS.sleep(200);
      server.restart();
      try (JdbcStore store = starting.get(30, TimeUnit.SECONDS)) {
        assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
      }
      starter.shutdown();
    }
  }

  @Test
  void anOpenTransactionHoldsUpOnlyItsOwnKey() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        JdbcStore store =
            JdbcStore.builder(Databases.postgres(server))
                .timeout(Duration.ofSeconds(5))
                .applySchema(true)
                .build();
        Connection other = Databases.postgres(server).getConnection()) {
      OperationKey contended = Samples.newKey();
      other.setAutoCommit(false);
      insert(other, contended);
      ExecutorService callers = Executors.newFixedThreadPool(32);
      List<Future<ClaimResult>> free = new ArrayList<>();
      Future<ClaimResult> held = callers.submit(() -> store.claim(Samples.claim(contended)));
      for (int i = 0; i < 200; i++) {
        free.add(callers.submit(() -> store.claim(Samples.claim(Samples.newKey()))));
      }
      for (Future<ClaimResult> each : free) {
        assertThat(each.get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
      }
      assertThat(held.get(30, TimeUnit.SECONDS)).isInstanceOf(Contended.class);
      other.rollback();
      assertThat(store.claim(Samples.claim(contended))).isInstanceOf(Granted.class);
      callers.shutdown();
    }
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

  @Test
  void aRoleThatMayOnlyReadIsToldSoAndMakesNoTables() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      run(server, "CREATE ROLE reader LOGIN", "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
      PGSimpleDataSource reader = new PGSimpleDataSource();
      reader.setUrl(server.url().replace("user=postgres", "user=reader"));

      assertThatThrownBy(() -> JdbcSchema.of(reader).apply())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("did not let this user make the tables")
          .hasMessageContaining("permission denied");

      JdbcSchema.of(Databases.postgres(server)).apply();
      run(server, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
      try (JdbcStore store = JdbcStore.create(reader)) {
        assertThatThrownBy(() -> store.claim(Samples.claim(Samples.newKey())))
            .isInstanceOf(RefusedCallException.class)
            .hasMessageContaining("permission denied for table retrysafe_entry");
        assertThat(store.find(Samples.newKey())).isEmpty();
      }
    }
  }

  @Test
  void tablesThatAreMissingOrOfAnotherVersionAreNamed() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      PGSimpleDataSource source = (PGSimpleDataSource) Databases.postgres(server);
      assertThatThrownBy(() -> JdbcStore.create(source))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("the table retrysafe_entry is missing");
      JdbcSchema schema = JdbcSchema.of(source);
      assertThat(schema.apply()).isTrue();
      assertThat(schema.apply()).isFalse();
      assertThat(schema.check()).isEmpty();
      run(server, "UPDATE retrysafe_schema SET version = 7");
      assertThat(schema.check()).containsExactly("the tables are of version 7");
      run(server, "ALTER TABLE retrysafe_entry DROP COLUMN previous CASCADE");
      assertThatThrownBy(schema::apply).hasMessageContaining("retrysafe_entry has no previous");
      assertThatThrownBy(() -> JdbcStore.create(source)).hasMessageContaining("has no previous");
    }
  }

  @Test
  void aReplayWritesNothing() throws Exception {
    try (PostgresServer server = PostgresServer.start(Map.of("autovacuum", "off"));
        JdbcStore store = JdbcStore.builder(Databases.postgres(server)).applySchema(true).build()) {
      Claim first = Samples.claim(Samples.newKey());
      store.claim(first);
      store.complete(first.owner(), Samples.DONE, Samples.RETENTION);
      for (int i = 0; i < 10; i++) {
        store.claim(Samples.claim(first.key()));
      }
      int before = count(server, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
      for (int i = 0; i < 200; i++) {
        assertThat(store.claim(Samples.claim(first.key()))).isInstanceOf(Held.class);
      }
      int after = count(server, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')");
      // A locked row would be 96 bytes each time; the server itself writes a little now and then.
      assertThat(after - before).isLessThan(2000);
    }
  }

  private static void run(PostgresServer server, String... statements) throws SQLException {
    try (Connection connection = Databases.postgres(server).getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static int count(PostgresServer server, String sql) throws SQLException {
    try (Connection connection = Databases.postgres(server).getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return (int) rows.getLong(1);
    }
  }

  private static void await(Condition condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }
}
