// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an SQL error means for the call that met it. */
enum SqlErrorKind {
  /** Somebody's open transaction is in the way; nothing was applied. */
  LOCKED,
  /** The database gave the statement up and nothing was applied; it may be asked again. */
  UNDONE,
  /**
   * The server takes no writes on this connection, as after a failover, and nothing was applied; it
   * may be asked again on a new connection, which may lead to another server.
   */
  READ_ONLY,
  /** Nobody knows whether it was applied. */
  UNKNOWN,
  /** The database will not do it, and asking again does not help. */
  REFUSED;

  /** Error numbers of SQLite, whose driver gives no SQL state. */
  private static final Set<Integer> SQLITE_LOCKED = Set.of(5, 6);

  private static final Set<Integer> SQLITE_REFUSED =
      Set.of(1, 3, 8, 11, 13, 14, 18, 19, 20, 23, 26);

  private static final Set<Integer> MARIADB_UNDONE = Set.of(1213, 1969, 3024);

  /** The option {@code --read-only}, a read-only transaction, InnoDB in read-only mode. */
  private static final Set<Integer> MARIADB_READ_ONLY = Set.of(1290, 1792, 1836);

  /** Rights, disks that are full, tables that are read-only, missing or different. */
  private static final Set<Integer> MARIADB_REFUSED =
      Set.of(1021, 1036, 1044, 1045, 1054, 1114, 1142, 1143, 1146, 1153, 1406);

  /** Too large, a condition on the table, of another type. */
  private static final Set<Integer> SQLITE_VALUES = Set.of(18, 19, 20);

  /** Too large or out of range, text that cannot be stored, a condition on the table. */
  private static final Set<Integer> MARIADB_VALUES =
      Set.of(1048, 1264, 1292, 1366, 1406, 1441, 3819, 4025);

  private static final Set<String> POSTGRES_VALUES = Set.of("22", "23", "54");

  static SqlErrorKind of(SQLException error, Dialect dialect) {
    int number = error.getErrorCode();
    String state = error.getSQLState();
    return switch (dialect) {
      case SQLITE -> ofSqlite(number & 0xff);
      case MARIADB, MYSQL -> ofMariaDb(number, state);
      case POSTGRESQL -> ofPostgres(state);
    };
  }

  /**
   * Returns whether the values of one call are to blame, and a transaction with others goes on
   * without it: they do not fit, or a condition on the table forbids them.
   */
  static boolean isOfOneCall(SQLException error, Dialect dialect) {
    int number = error.getErrorCode();
    String state = error.getSQLState();
    return switch (dialect) {
      case SQLITE -> SQLITE_VALUES.contains(number & 0xff);
      case MARIADB, MYSQL -> MARIADB_VALUES.contains(number);
      case POSTGRESQL -> state != null && POSTGRES_VALUES.contains(state.substring(0, 2));
    };
  }

  /** Returns whether the connection can be used again after this. */
  boolean sparesConnection() {
    return this != UNKNOWN && this != READ_ONLY;
  }

  /**
   * Returns what to say of {@code error}: what the database said, or what was thrown. A pool only
   * says that it waited in vain; its cause says why.
   */
  static String text(Throwable error) {
    String message = error.getMessage();
    String own = error instanceof SQLException && message != null ? message : error.toString();
    String why = error.getCause() instanceof SQLException cause ? cause.getMessage() : null;
    return why == null || own.contains(why) ? own : own + ": " + why;
  }

  private static SqlErrorKind ofSqlite(int number) {
    if (SQLITE_LOCKED.contains(number)) {
      return LOCKED;
    }
    return SQLITE_REFUSED.contains(number) ? REFUSED : UNKNOWN;
  }

  private static SqlErrorKind ofMariaDb(int number, @Nullable String state) {
    if (number == 1205) {
      return LOCKED;
    }
    if (MARIADB_UNDONE.contains(number)) {
      return UNDONE;
    }
    if (MARIADB_READ_ONLY.contains(number)) {
      return READ_ONLY;
    }
    boolean refused =
        MARIADB_REFUSED.contains(number)
            || MARIADB_VALUES.contains(number)
            || (state != null && state.startsWith("42"));
    return refused ? REFUSED : UNKNOWN;
  }

  private static SqlErrorKind ofPostgres(@Nullable String state) {
    if (state == null || state.length() != 5) {
      return UNKNOWN;
    }
    return switch (state) {
      case "55P03" -> LOCKED;
      // Cancelled, not serializable, deadlock; no connection or memory to be had just now.
      case "57014", "40001", "40P01", "53300", "53200" -> UNDONE;
      default ->
          switch (state.substring(0, 2)) {
            // 25006 after a failover; the others say that the session is not as it should be.
            case "25" -> READ_ONLY;
            case "0A", "22", "23", "28", "42", "53", "54" -> REFUSED;
            default -> UNKNOWN;
          };
    };
  }
}
