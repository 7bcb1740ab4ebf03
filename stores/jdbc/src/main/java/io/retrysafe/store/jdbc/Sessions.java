// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * The store's own connections, taken from the user's source: they have settings that nobody else
 * would want. Opening happens on threads of its own, because a source may block for longer than a
 * caller can wait.
 */
final class Sessions {
  private final Source source;
  private final Dialect dialect;
  private final Statements statements;
  private final String settings;
  private final LongSupplier clock;
  private final long timeoutMillis;
  private final Semaphore permits;
  private final boolean keeps;
  private final ConcurrentLinkedQueue<Session> idle = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Where connections come from. */
  interface Source {
    Connection open() throws SQLException;
  }

  /**
   * @param settings the part of the statements that sets a session up
   * @param most how many there may be at once
   * @param keeps whether they stay open for the next call
   */
  Sessions(
      Source source,
      Dialect dialect,
      Statements statements,
      String settings,
      LongSupplier clock,
      long timeoutMillis,
      int most,
      boolean keeps) {
    this.source = source;
    this.dialect = dialect;
    this.statements = statements;
    this.settings = settings;
    this.clock = clock;
    this.timeoutMillis = timeoutMillis;
    this.permits = new Semaphore(most, true);
    this.keeps = keeps;
  }

  /** Runs {@code work} on a session of its own, waiting for one until {@code deadline} at most. */
  <T> T run(long deadline, Session.Work<T> work) throws SQLException {
    acquire(deadline);
    try {
      Session session = idle.poll();
      if (session == null) {
        session = open(deadline);
      }
      return use(session, work);
    } finally {
      permits.release();
    }
  }

  private <T> T use(Session session, Session.Work<T> work) throws SQLException {
    boolean fine = false;
    try {
      T result = work.on(session);
      fine = true;
      return result;
    } catch (SQLException e) {
      fine = Trouble.of(e, dialect).sparesConnection();
      throw e;
    } finally {
      if (fine && keeps && !closed.get()) {
        idle.add(session);
      } else {
        session.close();
      }
    }
  }

  /** Opens a session, giving up at {@code deadline}; one that comes later is closed. */
  Session open(long deadline) throws SQLException {
    CompletableFuture<Session> opening = new CompletableFuture<>();
    Thread thread = new Thread(() -> connect(opening), "retrysafe-connect");
    thread.setDaemon(true);
    thread.start();
    try {
      return opening.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw new SQLException(sql.getMessage(), sql.getSQLState(), sql.getErrorCode(), sql);
      }
      throw new SQLException("no connection: " + e.getCause(), "08001", e.getCause());
    } catch (TimeoutException e) {
      return abandoned(opening, new SQLTimeoutException("no connection in time", "08001", e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return abandoned(opening, new SQLTimeoutException("interrupted", "08001", e));
    }
  }

  private static Session abandoned(CompletableFuture<Session> opening, SQLException why)
      throws SQLException {
    if (opening.completeExceptionally(why) || opening.isCompletedExceptionally()) {
      throw why;
    }
    return opening.join();
  }

  private void connect(CompletableFuture<Session> opening) {
    try {
      Session session = connect();
      if (!opening.complete(session)) {
        session.close();
      }
    } catch (SQLException | RuntimeException e) {
      opening.completeExceptionally(e);
    }
  }

  private Session connect() throws SQLException {
    Connection connection = source.open();
    try {
      connection.setAutoCommit(true);
      if (!dialect.hasOneWriter()) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        Executor direct = Runnable::run;
        connection.setNetworkTimeout(direct, (int) timeoutMillis);
      }
      Session session = new Session(connection, dialect, statements.list("resets"), clock);
      for (String setting : statements.list(settings)) {
        session.execute(setting.formatted(statementMillis(), lockMillis()));
      }
      return session;
    } catch (SQLException | RuntimeException e) {
      connection.close();
      throw e;
    }
  }

  /** Before the network's time-out: a statement that the database ends spares the connection. */
  private long statementMillis() {
    return Math.max(1, timeoutMillis - timeoutMillis / 8);
  }

  private long lockMillis() {
    return Math.max(1, Math.min(200, timeoutMillis / 4));
  }

  private void acquire(long deadline) throws SQLException {
    try {
      if (closed.get()) {
        throw new IllegalStateException("the store is closed");
      }
      if (!permits.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw new SQLTimeoutException("all connections of the store were busy", "57014");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTimeoutException("interrupted while waiting for a connection", "57014", e);
    }
  }

  void close() {
    closed.set(true);
    for (Session session = idle.poll(); session != null; session = idle.poll()) {
      session.close();
    }
  }
}
