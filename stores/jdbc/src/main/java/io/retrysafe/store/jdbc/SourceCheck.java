// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks at the start that a connection of the source stays one session on one server. The store
 * sets its sessions up, and asks again by itself when an answer is lost. A driver or proxy that
 * replaces the session behind a connection loses these settings, leaves them to others, or sends a
 * statement twice.
 */
final class SourceCheck {
  /** Modes of MariaDB's and MySQL's drivers that reconnect by themselves. */
  private static final Pattern RECONNECTING_MODE =
      Pattern.compile("jdbc:(mariadb|mysql):(?!//)[a-z+-]+:.*");

  private static final Pattern RECONNECTING_OPTION =
      Pattern.compile(".*[?&;,(](transactionreplay|autoreconnect|autoreconnectforpools)=true\\b.*");

  private static final int ROUNDS = 5;

  private SourceCheck() {}

  /**
   * Checks the source of {@code connection}.
   *
   * @throws IllegalStateException if sessions of this source are replaced unseen
   */
  static void check(Connection connection, Dialect dialect, SessionPool.Source source)
      throws SQLException {
    switch (dialect) {
      case MARIADB, MYSQL -> checkAddress(connection.getMetaData().getURL());
      case POSTGRESQL -> checkSessions(connection, source);
      case SQLITE -> {
        // A file has no sessions elsewhere.
      }
    }
  }

  static void checkAddress(@Nullable String url) {
    String lower = url == null ? "" : url.toLowerCase(Locale.ROOT);
    if (RECONNECTING_MODE.matcher(lower).matches()
        || RECONNECTING_OPTION.matcher(lower).matches()) {
      throw new IllegalStateException(
          "The JDBC address makes its driver reconnect by itself (a mode such as sequential: or"
              + " replication:, transactionReplay or autoReconnect). The store's session settings"
              + " would be lost, and statements could be sent twice. Use jdbc:mariadb://host1,host2/"
              + "database without such a mode or option: the store reconnects by itself");
    }
  }

  /**
   * Finds a pooler that gives each transaction any session, such as PgBouncer in transaction mode:
   * while another connection has a transaction open, the first one is on another session than
   * before, or the other one is on the first one's session.
   */
  private static void checkSessions(Connection one, SessionPool.Source source) throws SQLException {
    boolean wasAutoCommit = one.getAutoCommit();
    one.setAutoCommit(true);
    try (Connection other = source.open()) {
      boolean isStable = true;
      // More than once: a pooler may be late to take a session back, and then looks like none.
      for (int round = 0; isStable && round < ROUNDS; round++) {
        isStable = isStable(one, other);
      }
      if (!isStable) {
        throw new IllegalStateException(
            "The database is behind a pooler that changes the session between transactions, such as"
                + " PgBouncer with pool_mode=transaction. The store needs sessions of its own:"
                + " connect it to the database itself, or through a pool with pool_mode=session");
      }
    } finally {
      one.setAutoCommit(wasAutoCommit);
    }
  }

  private static boolean isStable(Connection one, Connection other) throws SQLException {
    long before = session(one);
    boolean wasAutoCommit = other.getAutoCommit();
    other.setAutoCommit(false);
    try {
      return session(other) != before && session(one) == before;
    } finally {
      other.rollback();
      other.setAutoCommit(wasAutoCommit);
    }
  }

  private static long session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT pg_backend_pid()")) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }
}
