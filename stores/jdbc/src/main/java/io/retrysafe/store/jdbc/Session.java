// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** A connection that is set up for the store, with its prepared statements. For one thread. */
final class Session {
  private final Connection connection;
  private final Dialect dialect;
  private final List<String> resets;
  private final LongSupplier clock;
  private final Map<Sql, PreparedStatement> prepared = new HashMap<>();

  Session(Connection connection, Dialect dialect, List<String> resets, LongSupplier clock) {
    this.connection = connection;
    this.dialect = dialect;
    this.resets = resets;
    this.clock = clock;
  }

  /** Something done with a session. */
  interface Work<T> {
    T on(Session session) throws SQLException;
  }

  /** Something read from a result. */
  interface Reader<T> {
    T read(ResultSet rows) throws SQLException;
  }

  Dialect dialect() {
    return dialect;
  }

  Connection connection() {
    return connection;
  }

  /** Returns how many rows matched. */
  int update(Sql sql, Parameters parameters) throws SQLException {
    return ready(sql, parameters).executeUpdate();
  }

  /** Returns how many rows matched for each of {@code rows}, negative where that is not known. */
  int[] updateAll(Sql sql, List<Parameters> rows) throws SQLException {
    PreparedStatement statement = prepare(sql);
    try {
      for (Parameters each : rows) {
        sql.bind(statement, each.late("now", clock), 1);
        statement.addBatch();
      }
      return statement.executeBatch();
    } finally {
      statement.clearBatch();
    }
  }

  <T> T query(Sql sql, Parameters parameters, Reader<T> reader) throws SQLException {
    try (ResultSet rows = ready(sql, parameters).executeQuery()) {
      return reader.read(rows);
    }
  }

  /** Runs a statement that is not worth keeping. */
  <T> T queryOnce(Sql sql, Parameters parameters, Reader<T> reader) throws SQLException {
    parameters.late("now", clock);
    try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
      sql.bind(statement, parameters, 1);
      try (ResultSet rows = statement.executeQuery()) {
        return reader.read(rows);
      }
    }
  }

  PreparedStatement ready(Sql sql, Parameters parameters) throws SQLException {
    PreparedStatement statement = prepare(sql);
    sql.bind(statement, parameters.late("now", clock), 1);
    return statement;
  }

  PreparedStatement prepare(Sql sql) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql.text());
      prepared.put(sql, statement);
    }
    return statement;
  }

  /** Runs {@code work} in one transaction: all of it or nothing. */
  <T> T atomically(Work<T> work) throws SQLException {
    execute(dialect.begin());
    try {
      T result = work.on(this);
      execute("COMMIT");
      return result;
    } catch (SQLException | RuntimeException e) {
      rollBack(e);
      throw e;
    }
  }

  /** Runs one call, which is a transaction of its own. */
  <T> T alone(Work<T> work) throws SQLException {
    boolean isTransaction = dialect.hasOneWriter() || dialect.readsBack();
    return isTransaction ? atomically(work) : work.on(this);
  }

  void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Gives the connection back as it came. */
  void close() {
    try (connection) {
      for (PreparedStatement statement : prepared.values()) {
        statement.close();
      }
      for (String reset : resets) {
        execute(reset);
      }
    } catch (SQLException e) {
      // It was going to be closed anyway; whoever owns it finds it broken.
      prepared.clear();
    }
  }

  private void rollBack(Exception cause) {
    try {
      execute("ROLLBACK");
    } catch (SQLException e) {
      // SQLite has already rolled back after some errors; a lost connection does by itself.
      cause.addSuppressed(e);
    }
  }
}
