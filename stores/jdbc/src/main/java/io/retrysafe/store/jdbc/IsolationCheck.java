// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The isolation of transactions that operations are completed in. The heartbeat renews the lease of
 * a running operation, which changes its row. A transaction with a snapshot that is older cannot
 * update that row any more, however often it is repeated: it would fail at its end, every time. So
 * it is refused at its beginning.
 */
final class IsolationCheck {
  private static final String SNAPSHOTS = "SHOW VARIABLES LIKE 'innodb_snapshot_isolation'";

  private IsolationCheck() {}

  /**
   * Checks that an operation can be completed in the transactions of {@code connection}.
   *
   * @throws IllegalStateException if their isolation is too high
   */
  static void check(Connection connection, Dialect dialect) throws SQLException {
    boolean isFit =
        switch (dialect) {
          case POSTGRESQL -> isReadCommitted(connection);
          // An update reads the newest version of a row whatever the isolation, unless this is on.
          case MARIADB, MYSQL -> isReadCommitted(connection) || !isOn(connection, SNAPSHOTS);
          case SQLITE -> true;
        };
    if (!isFit) {
      throw new IllegalStateException(
          "An operation can be completed only in a transaction at READ COMMITTED, this one is at "
              + name(connection.getTransactionIsolation())
              + ": there it could not see that its lease was renewed, and would fail at its end."
              + " Set the connection's isolation to READ COMMITTED"
              + (dialect == Dialect.POSTGRESQL ? "" : ", or innodb_snapshot_isolation to OFF"));
    }
  }

  /** Returns what to add to the message of an error that a too high isolation explains. */
  static String reason(SQLException error) {
    boolean hasChanged = "40001".equals(error.getSQLState()) || error.getErrorCode() == 1020;
    return hasChanged ? "; above READ COMMITTED a completion fails once the lease was renewed" : "";
  }

  private static boolean isReadCommitted(Connection connection) throws SQLException {
    int isolation = connection.getTransactionIsolation();
    return isolation == Connection.TRANSACTION_READ_COMMITTED
        || isolation == Connection.TRANSACTION_READ_UNCOMMITTED;
  }

  private static boolean isOn(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return rows.next() && rows.getString(2).equalsIgnoreCase("ON");
    }
  }

  private static String name(int isolation) {
    return isolation == Connection.TRANSACTION_SERIALIZABLE ? "SERIALIZABLE" : "REPEATABLE READ";
  }
}
