// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Calls whose values the database refuses, as a caller's own condition on the table does, among
 * calls of others.
 */
final class RefusedCallsTest {
  private static final PostgresServer POSTGRES = PostgresServer.start();
  private static final MariaDbServer MARIADB = MariaDbServer.start();
  private static final int CALLS = 64;

  /** Nothing but the queue can answer. */
  private static final Executor NO_THREADS =
      task -> {
        throw new RejectedExecutionException("no thread");
      };

  @AfterAll
  static void stop() {
    POSTGRES.close();
    MARIADB.close();
  }

  private record Database(String name, DataSource source, String forbid, String allow) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Database> databases() {
    String forbid = "ALTER TABLE retrysafe_entry ADD CONSTRAINT forbidden CHECK (%s <> 'bad')";
    String allow = "ALTER TABLE retrysafe_entry DROP CONSTRAINT forbidden";
    return Stream.of(
        new Database("PostgreSQL", Databases.postgres(POSTGRES), forbid, allow),
        new Database("MariaDB", Databases.mariaDb(MARIADB), forbid, allow),
        new Database(
            "SQLite",
            Databases.sqlite(Databases.newFile()),
            "CREATE TRIGGER forbidden BEFORE INSERT ON retrysafe_entry WHEN NEW.%s = 'bad'"
                + " BEGIN SELECT RAISE(ABORT, 'forbidden'); END",
            "DROP TRIGGER forbidden"));
  }

  /** A store on a database that refuses some values, and what its batches did. */
  private static final class Watched implements AutoCloseable {
    final Database database;
    final JdbcStore store;
    final AtomicInteger statements = new AtomicInteger();

    /** Statements of shared batches that failed. */
    final AtomicInteger failures = new AtomicInteger();

    Watched(Database database, String column) throws SQLException {
      this.database = database;
      this.store =
          JdbcStore.builder(Databases.around(database.source, this::run))
              .applySchema(true)
              .timeout(Duration.ofSeconds(30))
              .build();
      execute(database.forbid.formatted(column));
    }

    private Object run(String sql, Callable<Object> statement) throws Throwable {
      statements.incrementAndGet();
      try {
        return statement.call();
      } catch (Throwable e) {
        if (!Thread.currentThread().getName().endsWith("isolation")) {
          failures.incrementAndGet();
        }
        throw e;
      }
    }

    /** Sends claims together and checks what became of each. */
    void claim(IntPredicate isBad, List<OperationKey> keys) throws Exception {
      List<CompletableFuture<ClaimResult>> results = new ArrayList<>();
      for (OperationKey key : keys) {
        results.add(store.claim(Samples.claim(key), NO_THREADS).toCompletableFuture());
      }
      for (int i = 0; i < results.size(); i++) {
        CompletableFuture<ClaimResult> result = results.get(i);
        if (isBad.test(i)) {
          assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS))
              .hasCauseInstanceOf(RefusedCallException.class);
        } else {
          assertThat(result.get(30, TimeUnit.SECONDS)).isInstanceOf(Granted.class);
        }
      }
    }

    private void execute(String sql) throws SQLException {
      try (Connection connection = database.source.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(sql);
      }
    }

    @Override
    public void close() throws SQLException {
      store.close();
      execute(database.allow);
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void aRefusedCallFailsByItselfAndNeedsNoThread(Database database) throws Exception {
    try (Watched it = new Watched(database, "tenant")) {
      IntPredicate isBad = number -> number % 10 == 3;
      it.claim(isBad, keys(isBad));
      Claim alone = Samples.claim(Samples.newKey("bad"));
      assertThatThrownBy(() -> it.store.claim(alone)).isInstanceOf(RefusedCallException.class);
    }
  }

  /** Whatever a scope sends after its first refused call, the batches of the others stay whole. */
  @Test
  void callsOfARefusedScopeFailNoBatchOfOthers() throws Exception {
    try (Watched it = new Watched(databases().findFirst().orElseThrow(), "tenant")) {
      IntPredicate isBad = number -> number % 10 == 3;
      it.claim(isBad, keys(isBad));
      it.failures.set(0);
      for (int wave = 0; wave < 20; wave++) {
        it.claim(isBad, keys(isBad));
      }
      assertThat(it.failures).as("failed batches").hasValue(0);
    }
  }

  /** One bad key among many of its scope: the others of the scope still share statements. */
  @Test
  void aRefusedScopeIsBatchedByItself() throws Exception {
    try (Watched it = new Watched(databases().findFirst().orElseThrow(), "key")) {
      Scope scope = Scope.of("merchant", "GET", "/refunds");
      IntPredicate isBad = number -> number % 10 == 3;
      it.claim(
          isBad,
          Stream.iterate(0, i -> i + 1)
              .limit(CALLS)
              .map(i -> OperationKey.of(scope, isBad.test(i) ? "bad" : "good-" + i))
              .toList());
      it.statements.set(0);
      it.claim(
          number -> false,
          Stream.iterate(0, i -> i + 1)
              .limit(400)
              .map(i -> OperationKey.of(scope, "next-" + i))
              .toList());
      assertThat(it.statements.get()).as("statements for 400 calls").isLessThan(100);
    }
  }

  @Test
  void aScopeIsInQuarantineForSomeSecondsAfterItsLastRefusedCall() {
    AtomicLong nanos = new AtomicLong();
    Quarantine quarantine = new Quarantine(nanos::get);
    Scope scope = Scope.of("bad");
    quarantine.add(scope);
    nanos.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(quarantine.contains(scope)).isTrue();
    assertThat(quarantine.contains(Scope.of("other"))).isFalse();
    quarantine.add(scope);
    nanos.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(quarantine.contains(scope)).isTrue();
    nanos.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(quarantine.contains(scope)).isFalse();
  }

  @Test
  void theQuarantineIsBoundedAndForgetsScopesThatBehave() {
    AtomicLong nanos = new AtomicLong();
    Quarantine quarantine = new Quarantine(nanos::get);
    for (int i = 0; i < 1_500; i++) {
      quarantine.add(Scope.of("bad-" + i));
    }
    assertThat(quarantine.contains(Scope.of("bad-999"))).isTrue();
    assertThat(quarantine.contains(Scope.of("bad-1000"))).isFalse();
    nanos.addAndGet(Duration.ofSeconds(11).toNanos());
    quarantine.add(Scope.of("bad-1000"));
    assertThat(quarantine.contains(Scope.of("bad-1000"))).isTrue();
  }

  private static List<OperationKey> keys(IntPredicate isBad) {
    List<OperationKey> keys = new ArrayList<>();
    for (int i = 0; i < CALLS; i++) {
      keys.add(isBad.test(i) ? Samples.newKey("bad") : Samples.newKey());
    }
    return keys;
  }
}
