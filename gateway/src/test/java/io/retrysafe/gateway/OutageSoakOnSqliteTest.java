// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteDataSource;

/** A file cannot be killed or stalled, but locked, read-only, full and met by errors. */
class OutageSoakOnSqliteTest extends OutageSoak {
  private static final String READ_ONLY = "[SQLITE_READONLY] Attempt to write a readonly database";

  private final Path file = file();
  private final ThrowingSource source = new ThrowingSource(source());
  private final JdbcStore store =
      JdbcStore.builder(source).timeout(OutageLoad.STORE_TIMEOUT).applySchema(true).build();
  private @Nullable Connection holder;

  private static Path file() {
    try {
      return Files.createTempDirectory("soak").resolve("store.db");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SQLiteDataSource source() {
    SQLiteDataSource sqlite = new SQLiteDataSource();
    sqlite.setUrl("jdbc:sqlite:" + file);
    return sqlite;
  }

  /** A file belongs to one process: gateway and engine share the store. */
  @Override
  Store open() {
    return store;
  }

  @Override
  List<Fault> faults() {
    return List.of(
        new Fault("locked", this::lock, this::unlock, true),
        new Fault("full", this::fill, this::empty, true),
        new Fault("read-only", () -> source.refuse(READ_ONLY, 8), source::stop, true),
        new Fault("an Error in each thread", source::throwInEachThread, source::stop, false));
  }

  /** As a backup or a tool does that keeps the write lock. */
  private void lock() throws SQLException {
    holder = DriverManager.getConnection("jdbc:sqlite:" + file);
    try (Statement statement = holder.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 10000");
      statement.execute("BEGIN EXCLUSIVE");
    }
  }

  private void unlock() throws SQLException {
    if (holder != null) {
      holder.close();
    }
  }

  /** Refuses every new entry, as a full disk does. */
  private void fill() throws SQLException {
    tell(
        "CREATE TRIGGER full BEFORE INSERT ON retrysafe_entry BEGIN"
            + " SELECT RAISE(FAIL, 'database or disk is full'); END");
  }

  private void empty() throws SQLException {
    tell("DROP TRIGGER full");
  }

  private void tell(String command) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("PRAGMA busy_timeout = 10000");
      statement.execute(command);
    }
  }

  @Override
  void closeServers() {
    store.close();
  }
}
