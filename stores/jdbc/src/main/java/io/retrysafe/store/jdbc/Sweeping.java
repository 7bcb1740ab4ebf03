// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.Entry;
import io.retrysafe.store.Sweepable.Swept;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Removes what expired, a few rows in a transaction. Rows that somebody is using are left for the
 * next time, so neither claims nor other sweepers wait.
 */
final class Sweeping {
  private static final int AT_ONCE = 500;

  private final Statements statements;
  private final long unsettled;

  Sweeping(Statements statements, long unsettled) {
    this.statements = statements;
    this.unsettled = unsettled;
  }

  /** Returns how many rows one transaction removes of {@code limit}. */
  static int part(int limit) {
    return Math.min(AT_ONCE, limit);
  }

  /** A crash may bring rows back: they are as expired as they were. */
  Swept sweep(Session session, int limit) throws SQLException {
    return session.atomically(
        own -> {
          for (String setting : statements.list("lazily")) {
            own.execute(setting);
          }
          return removed(own, limit);
        });
  }

  private Swept removed(Session session, int limit) throws SQLException {
    List<byte[]> ids = new ArrayList<>(settled(session, limit));
    List<Entry> lost = new ArrayList<>();
    if (ids.size() < limit) {
      addUnsettled(session, limit - ids.size(), ids, lost);
    }
    if (!ids.isEmpty()) {
      delete(session, "DELETE FROM retrysafe_event WHERE entry_id IN ", ids);
      delete(session, "DELETE FROM retrysafe_entry WHERE id IN ", ids);
    }
    return new Swept(ids.size(), lost);
  }

  /** Only ids: nobody is told of an answer that was kept for long enough. */
  private List<byte[]> settled(Session session, int limit) throws SQLException {
    return session.query(
        statements.get("expired"),
        new Parameters().integer("limit", limit),
        rows -> {
          List<byte[]> ids = new ArrayList<>();
          while (rows.next()) {
            ids.add(rows.getBytes(1));
          }
          return ids;
        });
  }

  private void addUnsettled(Session session, int limit, List<byte[]> ids, List<Entry> lost)
      throws SQLException {
    session.query(
        statements.get("expired_open"),
        new Parameters().integer("limit", limit).number("unsettled", unsettled),
        rows -> {
          while (rows.next()) {
            ids.add(rows.getBytes(1));
            lost.add(Row.entry(rows, 2, Row.key(rows, 2 + Row.ENTRY_COLUMNS)));
          }
          return lost;
        });
  }

  private static void delete(Session session, String sql, List<byte[]> ids) throws SQLException {
    String places = String.join(", ", Collections.nCopies(ids.size(), "?"));
    try (PreparedStatement statement =
        session.connection().prepareStatement(sql + "(" + places + ")")) {
      for (int i = 0; i < ids.size(); i++) {
        statement.setBytes(i + 1, ids.get(i));
      }
      statement.executeUpdate();
    }
  }
}
