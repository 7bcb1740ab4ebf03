// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Optional;

/**
 * Writes that are safe to repeat because the data itself tells them apart, without a key of the
 * caller's or a store: on plain JDBC, in the caller's transaction or with auto-commit.
 *
 * <p>Inserts rely on a primary key or unique constraint, and need READ COMMITTED to see the row
 * that was faster.
 */
public final class NaturalKeys {
  private NaturalKeys() {}

  /** Statements on a connection. */
  @FunctionalInterface
  public interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  /** A statement that writes {@code next} if what it replaces is still as it was read. */
  @FunctionalInterface
  public interface Replacement<T> {
    /** Returns how many rows it changed: 1, or 0 where the version is another by now. */
    int run(Connection connection, T read) throws SQLException;
  }

  /**
   * A row that is there.
   *
   * @param row the row
   * @param isNew whether this call inserted it
   */
  public record Present<T>(T row, boolean isNew) {}

  /** Somebody else wrote something different in this place. */
  public static final class ConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ConflictException(String message) {
      super(message);
    }
  }

  /**
   * Inserts a row, or returns the one that has its natural key.
   *
   * @param insert the plain insert
   * @param find reads the row by its natural key
   */
  public static <T> Present<T> insertOnce(
      Connection connection, Statements<?> insert, Statements<Optional<T>> find)
      throws SQLException {
    boolean isNew = inserted(connection, insert);
    T row =
        find.run(connection)
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "the row that kept this one out is not visible; use READ COMMITTED"));
    return new Present<>(row, isNew);
  }

  /**
   * Reads, and replaces what was read unless it changed; then reads again, up to {@code attempts}
   * times. The replacement's statement names the version: {@code UPDATE … SET …, version = version
   * + 1 WHERE id = ? AND version = ?}.
   *
   * @return what was read when the replacement succeeded
   * @throws ConflictException if it changed every time
   */
  public static <T> T replace(
      Connection connection, int attempts, Statements<T> read, Replacement<T> replacement)
      throws SQLException {
    if (attempts < 1) {
      throw new IllegalArgumentException("attempts must be positive, was " + attempts);
    }
    for (int i = 0; i < attempts; i++) {
      T seen = read.run(connection);
      if (replacement.run(connection, seen) > 0) {
        return seen;
      }
    }
    throw new ConflictException("the row changed before each of " + attempts + " updates");
  }

  /**
   * Appends an event at its expected place. The same event again changes nothing.
   *
   * @param insert the plain insert, with stream and sequence number as a unique constraint
   * @param find reads the event at this place
   * @return whether it was appended now
   * @throws ConflictException if another event is at this place
   */
  public static <E> boolean append(
      Connection connection, E event, Statements<?> insert, Statements<Optional<E>> find)
      throws SQLException {
    Present<E> present = insertOnce(connection, insert, find);
    if (!present.isNew() && !present.row().equals(event)) {
      throw new ConflictException("another event is at this place of the stream");
    }
    return present.isNew();
  }

  /** Returns whether the row went in; otherwise the transaction is as it was before. */
  private static boolean inserted(Connection connection, Statements<?> insert) throws SQLException {
    Savepoint before = connection.getAutoCommit() ? null : connection.setSavepoint();
    try {
      insert.run(connection);
    } catch (SQLException e) {
      if (!isDuplicate(e)) {
        throw e;
      }
      if (before != null) {
        connection.rollback(before);
      }
      return false;
    }
    if (before != null) {
      connection.releaseSavepoint(before);
    }
    return true;
  }

  /** PostgreSQL says 23505, MariaDB 1062, SQLite 19 or one of its extended forms. */
  private static boolean isDuplicate(SQLException e) {
    return "23505".equals(e.getSQLState())
        || e.getErrorCode() == 1062
        || (e.getSQLState() == null && (e.getErrorCode() & 0xff) == 19);
  }
}
