// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The PostgreSQL of the benchmarks, started when it is first asked for: full durability, memory for
 * its tables, and no checkpoint within a round.
 */
final class Postgres {
  static final String SETTINGS =
      "fsync and synchronous_commit on, shared_buffers 2 GB, max_wal_size 8 GB";

  /**
   * How much of the log is written again instead of being made, as on a server that has run for a
   * while.
   */
  private static final int LOG_GIGABYTES = 2;

  private static final Map<String, String> AS_ON_A_SERVER =
      Map.of(
          "shared_buffers", "2GB",
          "min_wal_size", LOG_GIGABYTES + "GB",
          "max_wal_size", "8GB",
          "checkpoint_timeout", "30min");

  /** A stalled disk shows as time, not as a failure. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Postgres ONE = new Postgres();

  private final PostgresServer server = PostgresServer.start(AS_ON_A_SERVER);

  private Postgres() {
    try {
      for (int i = 0; i < LOG_GIGABYTES * 64; i++) {
        execute(
            server.url(), "SELECT pg_logical_emit_message(false, 'bench', ''), pg_switch_wal()");
      }
      execute(server.url(), "CHECKPOINT");
    } catch (SQLException e) {
      throw new IllegalStateException("PostgreSQL cannot make its log", e);
    }
  }

  /** Returns the address of the default database. */
  static String url() {
    return ONE.server.url();
  }

  /** Makes a database of its own, empty, and returns its address. */
  static String database(String name) throws SQLException {
    execute(url(), "DROP DATABASE IF EXISTS " + name);
    execute(url(), "CREATE DATABASE " + name);
    return url().replaceFirst("/[^/?]*(\\?|$)", "/" + name + "$1");
  }

  /** Returns a store on a database, with its tables. */
  static JdbcStore store(String url) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    return JdbcStore.builder(source).timeout(PATIENCE).applySchema(true).build();
  }

  /** Empties tables, and the log with them: its files are used again. */
  static void empty(String url, String tables) throws SQLException {
    execute(url, "TRUNCATE " + tables);
    execute(url, "CHECKPOINT");
  }

  static long number(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
