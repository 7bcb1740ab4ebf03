// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The store's own connections, taken from the user's source: they have settings that nobody else
 * would want. Opening happens on threads of its own, because a source may block for longer than a
 * caller can wait.
 */
final class SessionPool {
  /** Attempts to connect at once, beyond those of calls that go out alone. */
  private static final int MOST_LANES = 4;

  private static final long LONGEST_ATTEMPT = TimeUnit.SECONDS.toNanos(60);

  private final Source source;
  private final Dialect dialect;
  private final Statements statements;
  private final String settings;
  private final LongSupplier clock;
  private final long timeoutMillis;
  private final Semaphore permits;
  private final boolean keeps;

  /** Attempts to connect that may be under way, also those that their callers gave up. */
  private final Semaphore connecting;

  private final Set<Attempt> attempts = ConcurrentHashMap.newKeySet();
  private volatile @Nullable Throwable lastFailure;
  private final ConcurrentLinkedQueue<Pooled> idle = new ConcurrentLinkedQueue<>();

  /** Counts failovers: sessions from before the last one are not used again, nor for reading. */
  private final AtomicInteger failovers = new AtomicInteger();

  private final AtomicBoolean closed = new AtomicBoolean();

  /** A session and how many failovers there had been when it was opened. */
  private record Pooled(Session session, int failovers) {}

  /** Where connections come from. */
  interface Source {
    Connection open() throws SQLException;
  }

  /**
   * @param settings the part of the statements that sets a session up
   * @param most how many there may be at once
   * @param keeps whether they stay open for the next call
   */
  SessionPool(
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
    this.connecting = new Semaphore(most + MOST_LANES, true);
    this.keeps = keeps;
  }

  /** Runs {@code work} on a session of its own, waiting for one until {@code deadline} at most. */
  <T> T run(long deadline, Session.Work<T> work) throws SQLException {
    acquire(deadline);
    try {
      Pooled pooled = idle.poll();
      if (pooled == null) {
        int before = failovers.get();
        pooled = new Pooled(open(deadline), before);
      }
      return use(pooled, deadline, work);
    } finally {
      permits.release();
    }
  }

  private <T> T use(Pooled pooled, long deadline, Session.Work<T> work) throws SQLException {
    Throwable error = null;
    try {
      pooled.session.until(deadline);
      return work.on(pooled.session);
    } catch (Throwable e) {
      error = e;
      throw e;
    } finally {
      boolean isKept = error == null || spares(pooled.session, error);
      if (isKept && keeps && !closed.get() && pooled.failovers == failovers.get()) {
        idle.add(pooled);
      } else {
        end(pooled.session, error);
      }
    }
  }

  /** Returns how many failovers were met. */
  int failovers() {
    return failovers.get();
  }

  /** Returns whether a session can be used again after {@code error}. */
  boolean spares(Session session, Throwable error) {
    return !session.isStuck()
        && error instanceof SQLException sql
        && SqlErrorKind.of(sql, dialect).sparesConnection();
  }

  /**
   * Ends a session. After a failover its connection is cut, so that a pool does not hand it out
   * again, and all other connections that are idle are closed.
   */
  void end(Session session, @Nullable Throwable error) {
    if (error instanceof SQLException sql
        && SqlErrorKind.of(sql, dialect) == SqlErrorKind.READ_ONLY) {
      failovers.incrementAndGet();
      session.cut();
      for (Pooled other = idle.poll(); other != null; other = idle.poll()) {
        other.session.cut();
        other.session.close();
      }
    } else if (isOfDriver(error)) {
      session.cut();
    }
    session.close();
  }

  /**
   * Returns whether the driver may have broken off, so that its connection is in the middle of an
   * answer or a transaction: the next user would read what is left of it.
   */
  private static boolean isOfDriver(@Nullable Throwable error) {
    return error != null
        && !(error instanceof SQLException)
        && !(error instanceof StoreException)
        // An entry that cannot be read.
        && !(error instanceof IllegalArgumentException);
  }

  /** Opens a session, giving up at {@code deadline}; one that comes later is closed. */
  Session open(long deadline) throws SQLException {
    attempts.forEach(Attempt::giveUp);
    try {
      if (!connecting.tryAcquire(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw late();
      }
      return opened(connecting(), deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLTimeoutException("interrupted", "08001", e);
    }
  }

  private CompletableFuture<Session> connecting() {
    CompletableFuture<Session> opening = new CompletableFuture<>();
    Attempt attempt = new Attempt();
    boolean isStarted = false;
    try {
      Thread thread = new Thread(() -> connect(opening, attempt), "retrysafe-connect");
      thread.setDaemon(true);
      thread.start();
      isStarted = true;
    } finally {
      if (!isStarted) {
        attempt.end();
      }
    }
    return opening;
  }

  /** An attempt to connect. One that hangs for long, as drivers may for ever, makes room. */
  private final class Attempt {
    private final long start = System.nanoTime();
    private final AtomicBoolean isOver = new AtomicBoolean();

    Attempt() {
      attempts.add(this);
    }

    void giveUp() {
      if (System.nanoTime() - start > LONGEST_ATTEMPT) {
        end();
      }
    }

    void end() {
      attempts.remove(this);
      if (isOver.compareAndSet(false, true)) {
        connecting.release();
      }
    }
  }

  private Session opened(CompletableFuture<Session> opening, long deadline)
      throws SQLException, InterruptedException {
    try {
      return opening.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw new SQLException(SqlErrorKind.text(sql), sql.getSQLState(), sql.getErrorCode(), sql);
      }
      throw new SQLException("no connection: " + e.getCause(), "08001", e.getCause());
    } catch (TimeoutException e) {
      return abandoned(opening, late());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return abandoned(opening, new SQLTimeoutException("interrupted", "08001", e));
    }
  }

  /** Returns the error of a call for which there was no connection until its deadline. */
  private SQLTimeoutException late() {
    Throwable last = lastFailure;
    return last == null
        ? new SQLTimeoutException("no connection in time", "08001")
        : new SQLTimeoutException(
            "no connection in time, the last attempt failed: " + SqlErrorKind.text(last),
            "08001",
            last);
  }

  /** Returns why there may be no connection: the last attempt failed, or one takes its time. */
  @Nullable Throwable whyNoConnection() {
    return lastFailure != null || attempts.isEmpty() ? lastFailure : late();
  }

  private static Session abandoned(CompletableFuture<Session> opening, SQLException why)
      throws SQLException {
    if (opening.completeExceptionally(why) || opening.isCompletedExceptionally()) {
      throw why;
    }
    return opening.join();
  }

  private void connect(CompletableFuture<Session> opening, Attempt attempt) {
    try {
      Session session = connect();
      lastFailure = null;
      if (!opening.complete(session)) {
        session.close();
      }
    } catch (Throwable e) {
      // An error too: the caller would otherwise wait for nothing.
      lastFailure = e;
      opening.completeExceptionally(e);
    } finally {
      attempt.end();
    }
  }

  private Session connect() throws SQLException {
    Connection connection = source.open();
    try {
      connection.setAutoCommit(true);
      if (!dialect.hasOneWriter()) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      }
      int wait = dialect.hasOneWriter() ? 0 : (int) timeoutMillis;
      Session session = new Session(connection, dialect, statements.list("resets"), clock, wait);
      session.until(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
      for (String setting : statements.list(settings)) {
        session.execute(setting.formatted(statementMillis(), lockMillis()));
      }
      return session;
    } catch (Throwable e) {
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
    for (Pooled pooled = idle.poll(); pooled != null; pooled = idle.poll()) {
      pooled.session.close();
    }
  }
}
