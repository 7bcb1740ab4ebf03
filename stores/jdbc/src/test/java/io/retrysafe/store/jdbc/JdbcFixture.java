// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Store;
import io.retrysafe.store.testkit.PromiseTable;
import io.retrysafe.store.testkit.StoreFixture;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/** Two stores with connections of their own on one database, whose stored times can be shifted. */
final class JdbcFixture implements StoreFixture {
  private final DataSource source;
  private final Dialect dialect;
  private final JdbcStore store;
  private final JdbcStore second;
  private final Runnable end;

  JdbcFixture(DataSource source, Runnable end) {
    this.source = source;
    this.end = end;
    // Longer than by default: a busy machine may take seconds to flush.
    Duration timeout = Duration.ofSeconds(5);
    this.store = JdbcStore.builder(source).timeout(timeout).applySchema(true).build();
    this.second = JdbcStore.builder(source).timeout(timeout).build();
    PromiseTable.declare(store.profile());
    try (Connection connection = source.getConnection()) {
      this.dialect = JdbcSchema.dialect(connection);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String name() {
    return dialect == Dialect.MYSQL ? "MySQL dialect on MariaDB" : store.profile().name();
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Store secondClient() {
    return second;
  }

  @Override
  public void advance(Duration time) {
    long micros = time.toNanos() / 1000;
    String earlier =
        switch (dialect) {
          case POSTGRESQL -> "%1$s = %1$s - " + micros + " * interval '1 microsecond'";
          case MARIADB, MYSQL -> "%1$s = %1$s - INTERVAL " + micros + " MICROSECOND";
          case SQLITE -> "%1$s = %1$s - " + micros;
        };
    String sql =
        "UPDATE retrysafe_entry SET "
            + String.join(
                ", ",
                earlier.formatted("created_at"),
                earlier.formatted("completed_at"),
                earlier.formatted("lease_until"),
                earlier.formatted("expires_at"));
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Optional<Contention> contend(OperationKey key) {
    if (dialect == Dialect.SQLITE) {
      return Optional.empty();
    }
    try {
      Connection connection = source.getConnection();
      connection.setAutoCommit(false);
      if (store.find(key).isPresent()) {
        run(connection, key, "SELECT 1 FROM retrysafe_entry WHERE id = ? FOR UPDATE");
      } else {
        String now = Statements.of(dialect).text("now");
        run(
            connection,
            key,
            "INSERT INTO retrysafe_entry (id, tenant, endpoint, "
                + Statements.of(dialect).text("key")
                + ", fingerprint, token, phase, previous, attempt, fence, created_at, lease_until,"
                + " expires_at, steps) VALUES (?, 't', 'e', 'k', '', '1234567890123456', 0, 0, 1, 1, "
                + String.join(", ", now, now, now)
                + ", '')");
      }
      return Optional.of(() -> end(connection));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public boolean damage(OperationKey key) {
    String junk = dialect == Dialect.POSTGRESQL ? "'\\x09'::bytea" : "X'09'";
    String sql =
        "UPDATE retrysafe_entry SET fingerprint = %s, outcome = CASE WHEN phase < 3 THEN NULL ELSE %s"
            + " END WHERE id = ?";
    try (Connection connection = source.getConnection()) {
      run(connection, key, sql.formatted(junk, junk));
      return true;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    store.close();
    second.close();
    end.run();
  }

  private static void run(Connection connection, OperationKey key, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, RowId.of(key).bytes());
      statement.execute();
    }
  }

  private static void end(Connection connection) {
    try (connection) {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
