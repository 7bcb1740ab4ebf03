// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an SQL error means for the call that met it. */
enum Trouble {
  /** Somebody's open transaction is in the way; nothing was applied. */
  LOCKED,
  /** The database gave the statement up and nothing was applied; it may be asked again. */
  UNDONE,
  /** Nobody knows whether it was applied. */
  UNKNOWN,
  /** The database will not do it, and asking again does not help. */
  REFUSED;

  /** Error numbers of SQLite, whose driver gives no SQL state. */
  private static final Set<Integer> SQLITE_LOCKED = Set.of(5, 6);

  private static final Set<Integer> SQLITE_REFUSED =
      Set.of(1, 3, 8, 11, 13, 14, 18, 19, 20, 23, 26);

  private static final Set<Integer> MARIADB_UNDONE = Set.of(1213, 1969, 3024);

  /** Rights, read-only servers, disks that are full, tables that are missing or different. */
  private static final Set<Integer> MARIADB_REFUSED =
      Set.of(1021, 1036, 1044, 1045, 1054, 1114, 1142, 1143, 1146, 1153, 1290, 1406, 1792, 1836);

  static Trouble of(SQLException error, Dialect dialect) {
    int number = error.getErrorCode();
    String state = error.getSQLState();
    return switch (dialect) {
      case SQLITE -> ofSqlite(number & 0xff);
      case MARIADB, MYSQL -> ofMariaDb(number, state);
      case POSTGRESQL -> ofPostgres(state);
    };
  }

  /** Returns whether the connection can be used again after this. */
  boolean sparesConnection() {
    return this != UNKNOWN;
  }

  private static Trouble ofSqlite(int number) {
    if (SQLITE_LOCKED.contains(number)) {
      return LOCKED;
    }
    return SQLITE_REFUSED.contains(number) ? REFUSED : UNKNOWN;
  }

  private static Trouble ofMariaDb(int number, @Nullable String state) {
    if (number == 1205) {
      return LOCKED;
    }
    if (MARIADB_UNDONE.contains(number)) {
      return UNDONE;
    }
    boolean refused = MARIADB_REFUSED.contains(number) || (state != null && state.startsWith("42"));
    return refused ? REFUSED : UNKNOWN;
  }

  private static Trouble ofPostgres(@Nullable String state) {
    if (state == null || state.length() != 5) {
      return UNKNOWN;
    }
    return switch (state) {
      case "55P03" -> LOCKED;
      // Cancelled, not serializable, deadlock; no connection or memory to be had just now.
      case "57014", "40001", "40P01", "53300", "53200" -> UNDONE;
      default ->
          switch (state.substring(0, 2)) {
            case "0A", "22", "23", "25", "28", "42", "53", "54" -> REFUSED;
            default -> UNKNOWN;
          };
    };
  }
}
