// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A search by key alone reads the table once, and is in nobody's way. */
final class SearchTest {
  /** The common pool of a small machine has one thread, which the search holds. */
  private static final Executor THREADS = task -> new Thread(task).start();

  private static final int ROWS = 20_000;
  private static final String COPIED =
      """
      INSERT INTO retrysafe_entry (id, tenant, endpoint, %1$s, fingerprint, token, phase, previous, attempt, fence,
        status_code, created_at, completed_at, lease_until, expires_at, steps, outcome)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %3$d)
      SELECT %2$s, tenant, endpoint, %4$s, fingerprint, token, phase, previous, attempt, fence,
        status_code, created_at, completed_at, lease_until, expires_at, steps, outcome
      FROM retrysafe_entry, n
      """;

  private final OperationKey key = Samples.newKey();

  @Test
  void postgresReadsItsTableOnce() throws SQLException {
    try (PostgresServer server = PostgresServer.start()) {
      DataSource source = Databases.postgres(server);
      fill(source, Dialect.POSTGRESQL, "substring(sha256(i::text::bytea) for 24)", "ANALYZE");
      for (Query query : List.of(byKey(), byAccount("nobody"), byAccount("merchant_7"))) {
        assertThat(plan(source, Dialect.POSTGRESQL, query))
            .contains("Seq Scan on retrysafe_entry")
            .doesNotContain("Index");
      }
      assertThat(plan(source, Dialect.POSTGRESQL, all())).contains("Index Scan using");
    }
  }

  @Test
  void mariaDbReadsItsTableOnce() throws SQLException {
    try (MariaDbServer server = MariaDbServer.start()) {
      DataSource source = Databases.mariaDb(server);
      String analyze = "ANALYZE TABLE retrysafe_entry";
      fill(source, Dialect.MARIADB, "left(unhex(sha2(i, 256)), 24)", analyze);
      for (Query query : List.of(byKey(), byAccount("nobody"), byAccount("merchant_7"), all())) {
        // The table lies in the order of its primary key.
        assertThat(plan(source, Dialect.MARIADB, query))
            .containsPattern("\\|(ALL\\||index\\|[^|]*\\|PRIMARY\\|)");
      }
    }
  }

  @Test
  void sqliteReadsItsTableOnce(@TempDir Path folder) throws SQLException {
    DataSource source = Databases.sqlite(folder.resolve("store.db"));
    fill(source, Dialect.SQLITE, "randomblob(24)", "ANALYZE");
    for (Query query : List.of(byKey(), byAccount("nobody"), byAccount("merchant_7"))) {
      assertThat(plan(source, Dialect.SQLITE, query)).contains("SCAN e|").doesNotContain("INDEX");
    }
    assertThat(plan(source, Dialect.SQLITE, all())).contains("SCAN e USING INDEX");
  }

  /** Puts the one operation among many, where it is found again. */
  private void fill(DataSource source, Dialect dialect, String newId, String analyze)
      throws SQLException {
    try (JdbcStore store = JdbcStore.builder(source).applySchema(true).build()) {
      settle(store);
      try (Connection connection = source.getConnection();
          Statement statement = connection.createStatement()) {
        if (dialect == Dialect.MARIADB) {
          statement.execute("SET max_recursive_iterations = " + 2 * ROWS);
        }
        String column = dialect == Dialect.MARIADB ? "`key`" : "key";
        String other = dialect == Dialect.SQLITE ? "'other-' || i" : "concat('other-', i)";
        statement.execute(COPIED.formatted(column, newId, ROWS, other));
        statement.execute(analyze);
      }
      Page found = store.browse(byKey());
      assertThat(found.entries()).extracting(Entry::key).containsExactly(key);
      assertThat(found.next()).isEmpty();
    }
  }

  private static String plan(DataSource source, Dialect dialect, Query query) throws SQLException {
    Statements statements = Statements.of(dialect);
    Parameters parameters = new Parameters().late("now", () -> 0);
    Sql sql = new EntryListing(statements).sql(query, parameters);
    try (Connection connection = source.getConnection();
        Statement setting = connection.createStatement()) {
      for (String each : statements.list("searching")) {
        setting.execute(each.formatted(10_000, 200));
      }
      String explain = dialect == Dialect.SQLITE ? "EXPLAIN QUERY PLAN " : "EXPLAIN ";
      try (PreparedStatement statement = connection.prepareStatement(explain + sql.text())) {
        sql.bind(statement, parameters, 1);
        return text(statement.executeQuery());
      }
    }
  }

  private static String text(ResultSet rows) throws SQLException {
    StringBuilder text = new StringBuilder();
    while (rows.next()) {
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        text.append(rows.getString(i)).append('|');
      }
      text.append('\n');
    }
    return text.toString();
  }

  private void settle(JdbcStore store) {
    Claim claim = Samples.claim(key);
    assertThat(store.claim(claim)).isInstanceOf(ClaimResult.Granted.class);
    assertThat(store.complete(claim.owner(), Samples.DONE, Samples.RETENTION)).isTrue();
  }

  private static Query all() {
    return Query.of(EnumSet.allOf(State.class), 50);
  }

  private Query byKey() {
    return narrowed(Optional.empty(), Optional.of(key.value()));
  }

  private static Query byAccount(String account) {
    return narrowed(Optional.of(account), Optional.empty());
  }

  private static Query narrowed(Optional<String> account, Optional<String> key) {
    return new Query(
        all().states(), account, Optional.empty(), key, Duration.ZERO, 50, Optional.empty());
  }

  @Test
  void aSearchThatTakesLongIsInNobodysWay(@TempDir Path folder) throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    DataSource plain = Databases.sqlite(folder.resolve("store.db"));
    DataSource slow =
        intercepted(
            DataSource.class,
            plain,
            (connection, unused) ->
                connection instanceof Connection
                    ? intercepted(
                        Connection.class,
                        connection,
                        (statement, sql) -> {
                          if (sql.contains("ORDER BY +e.id")) {
                            began.countDown();
                            await(go);
                          }
                          return statement;
                        })
                    : connection);
    JdbcStore store =
        JdbcStore.builder(slow)
            .applySchema(true)
            .connections(1)
            .timeout(Duration.ofSeconds(10))
            .build();
    try (store) {
      settle(store);
      CompletableFuture<Integer> search =
          CompletableFuture.supplyAsync(() -> store.browse(byKey()).entries().size(), THREADS);
      await(began);
      CompletableFuture<Boolean> look =
          CompletableFuture.supplyAsync(() -> store.find(key).isPresent(), THREADS);
      assertThat(look.get(8, TimeUnit.SECONDS)).isTrue();
      go.countDown();
      assertThat(search.get(30, TimeUnit.SECONDS)).isEqualTo(1);
    } finally {
      go.countDown();
    }
    assertThatThrownBy(() -> store.browse(byKey())).isInstanceOf(IllegalStateException.class);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private interface Change {
    Object of(Object result, String argument);
  }

  private static <T> T intercepted(Class<T> type, Object real, Change change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              try {
                Object result = called.invoke(real, arguments);
                boolean hasText = arguments != null && arguments[0] instanceof String;
                return result == null
                    ? null
                    : change.of(result, hasText ? String.valueOf(arguments[0]) : "");
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
