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

  /** The longest wait for an answer of the server; zero where the connection decides that. */
  private final int timeoutMillis;

  private int waitMillis;
  private int givenMillis;
  private boolean isInTransaction;

  /** Whether a transaction may be open that nobody ends. */
  private boolean isStuck;

  Session(Connection connection, Dialect dialect, List<String> resets, LongSupplier clock) {
    this(connection, dialect, resets, clock, 0);
  }

  Session(
      Connection connection,
      Dialect dialect,
      List<String> resets,
      LongSupplier clock,
      int timeoutMillis) {
    this.timeoutMillis = timeoutMillis;
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

  boolean isInTransaction() {
    return isInTransaction;
  }

  /** Returns whether a transaction may be open still, so that nobody may use it any more. */
  boolean isStuck() {
    return isStuck;
  }

  Connection connection() {
    return connection;
  }

  /**
   * Ends the wait for an answer of the server at {@code deadline}. Nothing is sent for that, and
   * nothing done while the deadline is as far away as the store's time-out.
   */
  void until(long deadline) throws SQLException {
    if (timeoutMillis == 0) {
      return;
    }
    long left = Math.max(1, (deadline - System.nanoTime()) / 1_000_000 + 1);
    boolean isFull = left > timeoutMillis - timeoutMillis / 32;
    int millis = isFull ? timeoutMillis : (int) left;
    // What is set is good enough if it is hardly longer.
    if (waitMillis < millis || waitMillis > millis + millis / 32) {
      if (waitMillis == 0) {
        givenMillis = connection.getNetworkTimeout();
      }
      connection.setNetworkTimeout(Runnable::run, millis);
      waitMillis = millis;
    }
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

  /**
   * Runs {@code work} in one transaction: all of it or nothing. Inside of another one it is part of
   * that.
   */
  <T> T atomically(Work<T> work) throws SQLException {
    if (isInTransaction) {
      return work.on(this);
    }
    begin();
    try {
      T result = work.on(this);
      execute("COMMIT");
      return result;
    } catch (Throwable e) {
      rollBack(e);
      throw e;
    } finally {
      isInTransaction = false;
    }
  }

  private void begin() throws SQLException {
    try {
      execute(dialect.begin());
      isInTransaction = true;
    } catch (Throwable e) {
      // Only a lock that was not to be had surely began nothing.
      isStuck =
          !(e instanceof SQLException sql && SqlErrorKind.of(sql, dialect) == SqlErrorKind.LOCKED);
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

  /** Cuts the connection, so that a pool sees that it is of no use. */
  void cut() {
    try {
      connection.abort(Runnable::run);
    } catch (SQLException | RuntimeException e) {
      // A driver that cannot: the connection is closed all the same.
      prepared.clear();
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
      if (waitMillis > 0) {
        connection.setNetworkTimeout(Runnable::run, givenMillis);
      }
    } catch (SQLException | RuntimeException | Error e) {
      // It was going to be closed anyway; whoever owns it finds it broken.
      prepared.clear();
    }
  }

  private void rollBack(Throwable cause) {
    try {
      execute("ROLLBACK");
    } catch (SQLException e) {
      // SQLite has already rolled back after some errors, and a lost connection does by itself.
      // Else
      // the transaction is open, and its locks keep all other connections waiting.
      isStuck = true;
      cause.addSuppressed(e);
    } catch (RuntimeException | Error e) {
      // The transaction may be open still: a pool must not hand the connection out again.
      isStuck = true;
      cause.addSuppressed(e);
      cut();
    }
  }
}
