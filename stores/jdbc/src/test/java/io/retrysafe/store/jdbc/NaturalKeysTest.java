// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.store.jdbc.NaturalKeys.ConflictException;
import io.retrysafe.store.jdbc.NaturalKeys.Present;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

final class NaturalKeysTest {

  @Test
  void theyWorkOnPostgres() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      checkAll(Databases.postgres(server));
    }
  }

  @Test
  void theyWorkOnMariaDb() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      checkAll(Databases.mariaDb(server));
    }
  }

  @Test
  void theyWorkOnSqlite() throws Exception {
    checkAll(Databases.sqlite(Databases.newFile()));
  }

  private static void checkAll(DataSource source) throws Exception {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE invoice (no varchar(50) PRIMARY KEY, total integer)");
      statement.execute(
          "CREATE TABLE stock (id integer PRIMARY KEY, amount integer, version integer)");
      statement.execute("INSERT INTO stock VALUES (1, 0, 0)");
      statement.execute(
          "CREATE TABLE event (stream varchar(50), seq integer, body varchar(50),"
              + " PRIMARY KEY (stream, seq))");
    }
    try (Connection connection = source.getConnection()) {
      connection.setTransactionIsolation(
          connection.getMetaData().getDatabaseProductName().equals("SQLite")
              ? Connection.TRANSACTION_SERIALIZABLE
              : Connection.TRANSACTION_READ_COMMITTED);
      checkInserts(connection);
      checkEvents(connection);
    }
    checkUpdates(source);
  }

  private static void checkInserts(Connection connection) throws SQLException {
    assertThat(invoice(connection, "F-1", 100)).isEqualTo(new Present<>(100, true));
    assertThat(invoice(connection, "F-1", 999)).isEqualTo(new Present<>(100, false));
    connection.setAutoCommit(false);
    assertThat(invoice(connection, "F-2", 7)).isEqualTo(new Present<>(7, true));
    assertThat(invoice(connection, "F-1", 8)).isEqualTo(new Present<>(100, false));
    connection.commit();
    connection.setAutoCommit(true);
    assertThat(invoice(connection, "F-2", 9)).isEqualTo(new Present<>(7, false));
  }

  private static Present<Integer> invoice(Connection connection, String no, int total)
      throws SQLException {
    return NaturalKeys.insertOnce(
        connection,
        own -> update(own, "INSERT INTO invoice VALUES (?, ?)", no, total),
        own -> first(own, "SELECT total FROM invoice WHERE no = ?", no).map(Integer::valueOf));
  }

  private static void checkEvents(Connection connection) throws SQLException {
    assertThat(append(connection, 1, "opened")).isTrue();
    assertThat(append(connection, 1, "opened")).isFalse();
    assertThat(append(connection, 2, "paid")).isTrue();
    assertThatThrownBy(() -> append(connection, 2, "closed"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("another event is at this place");
  }

  private static boolean append(Connection connection, int place, String event)
      throws SQLException {
    return NaturalKeys.append(
        connection,
        event,
        own -> update(own, "INSERT INTO event VALUES ('order-1', ?, ?)", place, event),
        own -> first(own, "SELECT body FROM event WHERE stream = 'order-1' AND seq = ?", place));
  }

  private static void checkUpdates(DataSource source) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(4);
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      running.add(
          callers.submit(
              () -> {
                try (Connection connection = source.getConnection()) {
                  for (int n = 0; n < 25; n++) {
                    add(connection, 1000, 0);
                  }
                }
                return null;
              }));
    }
    for (Future<?> each : running) {
      each.get(60, TimeUnit.SECONDS);
    }
    callers.shutdown();
    try (Connection connection = source.getConnection()) {
      assertThat(first(connection, "SELECT amount FROM stock WHERE id = ?", 1)).contains("100");
      assertThatThrownBy(() -> add(connection, 3, -1))
          .isInstanceOf(ConflictException.class)
          .hasMessageContaining("each of 3 updates");
    }
  }

  private static void add(Connection connection, int attempts, int off) throws SQLException {
    NaturalKeys.replace(
        connection,
        attempts,
        own -> first(own, "SELECT version FROM stock WHERE id = ?", 1).orElseThrow(),
        (own, version) ->
            update(
                own,
                "UPDATE stock SET amount = amount + 1, version = version + 1 WHERE id = ? AND version = ?",
                1,
                Integer.parseInt(version) + off));
  }

  private static int update(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return statement.executeUpdate();
    }
  }

  private static Optional<String> first(Connection connection, String sql, Object value)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setObject(1, value);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() ? Optional.of(rows.getString(1)) : Optional.empty();
      }
    }
  }
}
