// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Phase;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * A failover under load: the standby is promoted, and the old primary stays up, read-only, with all
 * connections open. A pool keeps such connections for ever, because they work.
 */
final class PostgresFailoverTest {
  private static final int CALLERS = 8;
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final Set<OperationKey> acknowledged = ConcurrentHashMap.newKeySet();
  private final Queue<RuntimeException> errors = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean isOver = new AtomicBoolean();

  @Test
  void callersGoOnWithThePromotedStandby() throws Exception {
    try (PostgresServer old = PostgresServer.start();
        PostgresServer next = PostgresServer.standby(old);
        HikariDataSource pool = pool(old, next);
        JdbcStore store = JdbcStore.builder(pool).applySchema(true).build()) {
      // Acknowledged commits must be on the standby, as the store's conditions say.
      run(old, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()");
      await(
          () ->
              count(old, "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                  == 1);
      ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        running.add(callers.submit(() -> completeUntilOver(store)));
      }
      awaitMore();

      run(old, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()");
      long start = System.nanoTime();
      TimeUnit.MILLISECONDS.sleep(500);
      Set<OperationKey> before = Set.copyOf(acknowledged);
      run(next, "SELECT pg_promote()");
      long promoted = System.nanoTime();
      await(() -> acknowledged.size() > before.size());
      System.out.printf(
          "PostgreSQL failover: writes again %d ms after the old primary became read-only, %d ms"
              + " after the standby was promoted%n",
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start),
          TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - promoted));
      awaitMore();
      isOver.set(true);
      for (Future<?> each : running) {
        each.get(30, TimeUnit.SECONDS);
      }
      callers.shutdown();

      assertThat(errors).allMatch(error -> error instanceof NoAnswerException);
      for (OperationKey key : acknowledged) {
        assertThat(store.find(key)).get().extracting(Entry::phase).isEqualTo(Phase.SETTLED);
      }
      assertThat(
              count(
                  old,
                  "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                      + " AND query LIKE '%retrysafe_entry%' AND pid <> pg_backend_pid()"))
          .as("connections of the store to the demoted server")
          .isZero();
    }
  }

  private static HikariDataSource pool(PostgresServer old, PostgresServer next) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(
        "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?user=postgres&targetServerType=primary"
            .formatted(old.port(), next.port()));
    pool.setMaximumPoolSize(10);
    pool.setConnectionTimeout(2_000);
    return pool;
  }

  private void completeUntilOver(JdbcStore store) {
    while (!isOver.get()) {
      Claim claim = Samples.claim(Samples.newKey());
      try {
        if (store.claim(claim) instanceof Granted
            && store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)) {
          acknowledged.add(claim.key());
        }
      } catch (RuntimeException e) {
        errors.add(e);
      }
    }
  }

  private void awaitMore() throws Exception {
    int before = acknowledged.size();
    await(() -> acknowledged.size() > before + 200);
  }

  private static void run(PostgresServer server, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private static long count(PostgresServer server, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server.url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getLong(1);
    }
  }

  private static void await(Condition condition) throws Exception {
    long end = System.nanoTime() + LONGEST.toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }
}
