// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Profile;
import io.retrysafe.store.RefusedCallException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** What a store is made of, put together once the database was reached and its tables checked. */
record StoreContext(
    Dialect dialect,
    Optional<EmbeddedFile> file,
    LongSupplier clock,
    SessionPool sessions,
    SessionPool forSearches,
    Statements statements,
    EntryStatements entries,
    BatchStatements batchStatements,
    RequestQueue queue,
    RetryLoop retryLoop,
    RetryLoop searching,
    Profile profile) {
  private static final System.Logger LOG = System.getLogger(JdbcStore.class.getName());
  private static final int LARGEST_OUTCOME = 8 * 1024 * 1024;

  /** Holds the steps of an entry, written in hexadecimal. */
  private static final int SMALLEST_PACKET = 512 * 1024;

  /** More than a statement has besides an outcome. */
  private static final int REST_OF_STATEMENT = 64 * 1024;

  private static final long PAUSE_NANOS = 500_000_000;

  /** A search reads much, but not for ever. */
  private static final int SEARCH_TIMES = 5;

  static StoreContext of(JdbcStore.Builder builder) {
    Start start = reached(builder);
    try {
      checkTables(builder);
      return of(builder, start);
    } catch (RuntimeException e) {
      start.file.ifPresent(EmbeddedFile::release);
      throw e;
    }
  }

  EntryListing listing() {
    return new EntryListing(statements);
  }

  Sweeping sweeping() {
    return new Sweeping(statements, entries.unsettled(), profile.callTimeout());
  }

  Events events() {
    return new Events(statements);
  }

  /**
   * Checks that an outcome is not larger than the profile says.
   *
   * @throws RefusedCallException if it is; nothing was sent
   */
  void checkSize(OperationKey key, Outcome outcome) {
    if (OutcomeFormat.isLargerThan(outcome, profile.largestOutcome())) {
      throw new RefusedCallException(
          "the outcome of %s takes %d bytes, at most %d fit"
              .formatted(key, OutcomeFormat.size(outcome), profile.largestOutcome()),
          null);
    }
  }

  /** Returns a session on somebody else's connection, which stays as it is. */
  Session guest(Connection connection) {
    return new Session(connection, dialect, List.of(), clock);
  }

  void close() {
    queue.close();
    sessions.close();
    forSearches.close();
    file.ifPresent(EmbeddedFile::release);
  }

  private record Start(Dialect dialect, Optional<EmbeddedFile> file, int largestOutcome) {}

  private static StoreContext of(JdbcStore.Builder builder, Start start) {
    Dialect dialect = start.dialect;
    if (dialect == Dialect.MYSQL) {
      LOG.log(
          System.Logger.Level.WARNING,
          "The store on MySQL is untested: its statements ran on MariaDB only");
    }
    Statements statements = Statements.of(dialect);
    LongSupplier clock = start.file.<LongSupplier>map(file -> file::now).orElse(() -> 0);
    SessionPool sessions =
        new SessionPool(
            builder.source,
            dialect,
            statements,
            "settings",
            clock,
            builder.timeout.toMillis(),
            builder.connections,
            true);
    // One at a time, and never in the way of claims and renewals.
    Duration searchTime = builder.timeout.multipliedBy(SEARCH_TIMES);
    SessionPool forSearches =
        new SessionPool(
            builder.source,
            dialect,
            statements,
            "searching",
            clock,
            searchTime.toMillis(),
            1,
            false);
    EntryStatements entries = new EntryStatements(statements, builder.unsettledRetention);
    RowStatements rows = new RowStatements(statements, entries);
    BatchStatements batches =
        dialect.hasArrays() ? new ArrayStatements(statements, entries, rows) : rows;
    RetryLoop retryLoop = new RetryLoop(sessions, batches, entries, dialect, builder.timeout);
    Profile profile =
        new Profile(
            dialect.product(),
            "one live owner, fenced completion and one recorded answer; with the effect in the same"
                + " database exactly one committed effect per key",
            dialect.conditions(),
            start.largestOutcome,
            builder.unsettledRetention,
            // A call may be sent at the end of the time and then take as long on the server.
            builder.timeout.multipliedBy(2));
    return new StoreContext(
        dialect,
        start.file,
        clock,
        sessions,
        forSearches,
        statements,
        entries,
        batches,
        queue(builder, dialect, sessions, batches, retryLoop),
        retryLoop,
        new RetryLoop(forSearches, batches, entries, dialect, searchTime),
        profile);
  }

  private static RequestQueue queue(
      JdbcStore.Builder builder,
      Dialect dialect,
      SessionPool sessions,
      BatchStatements batches,
      RetryLoop retryLoop) {
    Quarantine quarantine = new Quarantine(System::nanoTime);
    Duration timeout = builder.timeout;
    // Without arrays each request is a statement of its own, and a refused one ends only itself.
    BatchLane isolation =
        dialect.hasArrays()
            ? new BatchLane(sessions, dialect, batches, quarantine, null, timeout, "isolation")
            : null;
    List<BatchLane> lanes = new ArrayList<>();
    for (int i = 1; i <= (dialect.hasOneWriter() ? 1 : builder.lanes); i++) {
      String name = Integer.toString(i);
      lanes.add(new BatchLane(sessions, dialect, batches, quarantine, isolation, timeout, name));
    }
    return new RequestQueue(lanes, isolation, quarantine, batches, retryLoop, timeout);
  }

  private static void checkTables(JdbcStore.Builder builder) {
    JdbcSchema schema = JdbcSchema.of(builder.source);
    if (builder.appliesSchema) {
      schema.apply();
    }
    List<String> differences = schema.check();
    if (!differences.isEmpty()) {
      throw JdbcSchema.differing(differences);
    }
  }

  private static Start reached(JdbcStore.Builder builder) {
    long deadline = PendingRequest.deadline(builder.startWithin);
    while (true) {
      try (Connection connection = builder.source.open()) {
        Dialect dialect = JdbcSchema.dialect(connection);
        SourceCheck.check(connection, dialect, builder.source);
        return new Start(
            dialect,
            dialect.hasOneWriter()
                ? Optional.of(EmbeddedFile.take(file(connection)))
                : Optional.empty(),
            largestOutcome(connection, dialect));
      } catch (SQLException e) {
        // A pool only says that it waited in vain; why is what it gives as the cause.
        Throwable why = e.getCause() instanceof SQLException cause ? cause : e;
        String message = "the database of the store cannot be reached: " + why.getMessage();
        if (System.nanoTime() + PAUSE_NANOS > deadline) {
          throw new NoAnswerException(message, e);
        }
        LOG.log(System.Logger.Level.WARNING, message + "; trying again");
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * Returns the largest outcome that one statement can hold. MariaDB's and MySQL's drivers write a
   * statement as text, in which a zero byte, a quote or a backslash takes two bytes.
   */
  private static int largestOutcome(Connection connection, Dialect dialect) throws SQLException {
    if (dialect != Dialect.MARIADB && dialect != Dialect.MYSQL) {
      return LARGEST_OUTCOME;
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT @@max_allowed_packet")) {
      long packet = rows.next() ? rows.getLong(1) : 0;
      if (packet < SMALLEST_PACKET) {
        throw new IllegalStateException(
            "max_allowed_packet of the database must be at least %d, was %d"
                .formatted(SMALLEST_PACKET, packet));
      }
      return (int) Math.min(LARGEST_OUTCOME, (packet - REST_OF_STATEMENT) / 2);
    }
  }

  private static Path file(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("PRAGMA database_list")) {
      String file = rows.next() ? rows.getString("file") : null;
      if (file == null || file.isEmpty()) {
        throw new IllegalArgumentException(
            "an embedded store needs a file; for one in memory there is MemoryStore");
      }
      return Path.of(file);
    }
  }
}
