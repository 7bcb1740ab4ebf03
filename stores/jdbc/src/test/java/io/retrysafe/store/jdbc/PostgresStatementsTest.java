// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the statements for PostgreSQL cost, as far as that is decided and not measured. */
final class PostgresStatementsTest {
  private static PostgresServer server;
  private static JdbcStore store;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
    store = JdbcStore.builder(Databases.postgres(server)).applySchema(true).build();
  }

  @AfterAll
  static void stop() {
    store.close();
    server.close();
  }

  /** Plans are kept: one that reads a whole table while it is small does so when it is large. */
  @ParameterizedTest
  @ValueSource(
      strings = {"claim", "claim_new", "complete_owned", "release_all", "step_all", "renew_all"})
  void aPlanMadeOnASmallTableLooksRowsUp(String statement) throws SQLException {
    // The simple protocol leaves the parameters open, as a plan that is kept does.
    String url = server.url() + "&preferQueryMode=simple";
    try (Connection connection = DriverManager.getConnection(url);
        Statement sql = connection.createStatement()) {
      Statements statements = Statements.of(Dialect.POSTGRESQL);
      for (String setting : statements.list("settings")) {
        sql.execute(setting.formatted(1_000, 100));
      }
      assertEveryRowIsLookedUp(plan(sql, statements.get(statement)));
      sql.execute("ANALYZE retrysafe_entry");
      assertEveryRowIsLookedUp(plan(sql, statements.get(statement)));
    }
  }

  private static void assertEveryRowIsLookedUp(List<String> plan) {
    List<String> places = new ArrayList<>();
    for (int i = 0; i < plan.size(); i++) {
      if (plan.get(i).contains(" on retrysafe_entry ")) {
        places.add(plan.get(i).strip() + " " + plan.get(i + 1).strip());
      }
    }
    assertThat(places)
        .isNotEmpty()
        .allMatch(
            place ->
                place.matches("(-> +)?(Insert|Update) on .*")
                    || place.matches(
                        "-> +Index Scan using retrysafe_entry_pkey .* Index Cond: \\(id = .*")
                    || place.matches("-> +Tid Scan .* TID Cond: .*"),
            "finds its row by id or by place");
  }

  private static List<String> plan(Statement sql, Sql statement) throws SQLException {
    String text = statement.text();
    for (int i = 1; text.contains("?"); i++) {
      text = text.replaceFirst("\\?", "\\$" + i);
    }
    List<String> lines = new ArrayList<>();
    try (ResultSet rows = sql.executeQuery("EXPLAIN (GENERIC_PLAN) " + text)) {
      while (rows.next()) {
        lines.add(rows.getString(1));
      }
    }
    return lines;
  }

  @Test
  void aReplayWritesNothing() throws Exception {
    OperationKey key = Samples.newKey();
    settle(store, key);
    boolean wroteNothing = false;
    // The server itself writes now and then.
    for (int tries = 0; tries < 10 && !wroteNothing; tries++) {
      String before = written();
      for (int i = 0; i < 100; i++) {
        assertThat(store.claim(Samples.claim(key))).isInstanceOf(Held.class);
      }
      together(16, () -> assertThat(store.claim(Samples.claim(key))).isInstanceOf(Held.class));
      wroteNothing = written().equals(before);
    }
    assertThat(wroteNothing).isTrue();
  }

  @Test
  void aPoolThatWantsItsConnectionsBackAsTheyWereWorksToo() throws Exception {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(server.url());
      pool.setMaximumPoolSize(8);
      pool.setAutoCommit(false);
      try (JdbcStore pooled = JdbcStore.create(pool)) {
        together(32, () -> settle(pooled, Samples.newKey()));
      }
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SHOW enable_seqscan")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1)).isEqualTo("on");
        assertThat(connection.getAutoCommit()).isFalse();
      }
    }
  }

  private static void settle(JdbcStore on, OperationKey key) {
    Claim claim = Samples.claim(key);
    assertThat(on.claim(claim)).isInstanceOf(Granted.class);
    assertThat(on.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
  }

  private static String written() throws SQLException {
    try (Connection connection = Databases.postgres(server).getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT pg_current_wal_insert_lsn()")) {
      assertThat(rows.next()).isTrue();
      return rows.getString(1);
    }
  }

  private static void together(int callers, Runnable call) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(callers);
    try {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < callers; i++) {
        calls.add(threads.submit(call));
      }
      for (Future<?> each : calls) {
        each.get();
      }
    } finally {
      threads.shutdown();
    }
  }
}
