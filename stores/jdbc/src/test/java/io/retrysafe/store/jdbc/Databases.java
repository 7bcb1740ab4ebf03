// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/** Plain sources of connections, without a pool. */
final class Databases {
  private Databases() {}

  static DataSource postgres(PostgresServer server) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    return source;
  }

  static DataSource mariaDb(MariaDbServer server) {
    try {
      return new MariaDbDataSource(server.url());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a file that is not there yet, in a folder of its own. */
  static Path newFile() {
    try {
      return Files.createTempDirectory("sqlite").resolve("store.db");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static DataSource sqlite(Path file) {
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite:" + file);
    return source;
  }
}
