// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.testing.servers.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What MariaDB's faults mean for calls. */
final class MariaDbFaultsTest {
  private static MariaDbServer server;

  @BeforeAll
  static void start() throws SQLException {
    server = MariaDbServer.start();
    // The administrator may write to a read-only server; an application may not.
    run("CREATE USER app@'127.0.0.1'", "GRANT ALL ON test.* TO app@'127.0.0.1'");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void connectionsToAReadOnlyServerAreReplacedAndTheCallIsAskedAgain() throws Exception {
    ExecutorService caller = Executors.newSingleThreadExecutor();
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(server.url().replace("user=root", "user=app"));
      // Connections that the pool opens for nobody would stay: only those in use are replaced.
      pool.setMinimumIdle(0);
      try (JdbcStore store =
          JdbcStore.builder(pool)
              .timeout(Duration.ofSeconds(5))
              .lanes(1)
              .applySchema(true)
              .build()) {
        Claim first = Samples.claim(Samples.newKey());
        assertThat(store.claim(first)).isInstanceOf(Granted.class);
        assertThat(store.step(first.owner(), "step", Samples.DONE.body())).isTrue();
        Set<Long> before = connections();
        try {
          run("SET GLOBAL read_only = 1");
          Claim claim = Samples.claim(Samples.newKey());
          Future<ClaimResult> asked = caller.submit(() -> store.claim(claim));
          long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
          while (!isReplaced(before, connections())) {
            assertThat(System.nanoTime()).as("connections were kept").isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(10);
          }
          run("SET GLOBAL read_only = 0");
          assertThat(asked.get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
          assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
        } finally {
          run("SET GLOBAL read_only = 0");
        }
      }
    } finally {
      caller.shutdown();
    }
  }

  @Test
  void aServerThatStaysReadOnlyGivesNoAnswer() throws Exception {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(server.url().replace("user=root", "user=app"));
      try (JdbcStore store =
          JdbcStore.builder(pool).timeout(Duration.ofMillis(500)).applySchema(true).build()) {
        run("SET GLOBAL read_only = 1");
        assertThatThrownBy(() -> store.claim(Samples.claim(Samples.newKey())))
            .isInstanceOf(NoAnswerException.class)
            .hasMessageContaining("read-only");
      } finally {
        run("SET GLOBAL read_only = 0");
      }
    }
  }

  /** An update of MariaDB reads the newest version of a row, whatever the isolation. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void aRenewalDuringAJoinedTransactionIsNoConflict(int isolation) throws SQLException {
    try (JdbcStore store = JdbcStore.builder(Databases.mariaDb(server)).applySchema(true).build();
        Connection connection = DriverManager.getConnection(server.url())) {
      connection.setTransactionIsolation(isolation);
      try (JoinedTransaction joined = store.joining(connection)) {
        Claim claim = Samples.claim(Samples.newKey());
        assertThat(store.claim(claim)).isInstanceOf(Granted.class);
        assertThat(store.find(claim.key())).isPresent();
        try (Statement statement = connection.createStatement()) {
          statement.executeQuery("SELECT count(*) FROM retrysafe_schema").close();
        }
        assertThat(store.renew(Set.of(claim.owner()), Duration.ofMinutes(1))).hasSize(1);
        assertThat(joined.settle(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
        assertThat(store.find(claim.key()).orElseThrow().outcome()).contains(Samples.DONE);
      }
    }
  }

  @Test
  void aTransactionThatCouldNotCompleteAfterARenewalIsRefused() throws SQLException {
    try (JdbcStore store = JdbcStore.builder(Databases.mariaDb(server)).applySchema(true).build();
        Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement()) {
      statement.execute("SET innodb_snapshot_isolation = ON");
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      assertThatThrownBy(() -> store.joining(connection).close())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("or innodb_snapshot_isolation to OFF");
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      store.joining(connection).close();
    }
  }

  private static boolean isReplaced(Set<Long> before, Set<Long> now) {
    Set<Long> both = new HashSet<>(before);
    both.retainAll(now);
    // The lane's session was open; the pool may have others that nobody uses.
    return both.size() < before.size();
  }

  private static Set<Long> connections() throws SQLException {
    Set<Long> ids = new HashSet<>();
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id FROM information_schema.processlist WHERE user = 'app'")) {
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
    }
    return ids;
  }

  private static void run(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }
}
