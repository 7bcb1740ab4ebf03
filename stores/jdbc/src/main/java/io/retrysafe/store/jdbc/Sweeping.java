// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.Entry;
import io.retrysafe.store.Sweepable.Swept;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

/**
 * Removes what expired, a few rows in a transaction. Rows that somebody is using are left for the
 * next time, so neither claims nor other sweepers wait.
 */
final class Sweeping {
  private static final int AT_ONCE = 500;

  /** How long an expired row stays at least: longer than a statement of any store may run. */
  private static final Duration GRACE = Duration.ofMinutes(1);

  private final Statements statements;
  private final long unsettled;
  private final long grace;

  /**
   * @param callTimeout how long a call may take until it can no longer change anything
   */
  Sweeping(Statements statements, long unsettled, Duration callTimeout) {
    this.statements = statements;
    this.unsettled = unsettled;
    this.grace = Micros.of(callTimeout.compareTo(GRACE) > 0 ? callTimeout : GRACE);
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
        new Parameters().integer("limit", limit).number("grace", grace),
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
        new Parameters()
            .integer("limit", limit)
            .number("unsettled", unsettled)
            .number("grace", grace),
        rows -> {
          while (rows.next()) {
            byte[] id = rows.getBytes(1);
            ids.add(id);
            try {
              lost.add(
                  EntryColumns.entry(
                      rows, 2, EntryColumns.key(rows, 2 + EntryColumns.ENTRY_COLUMNS)));
            } catch (RuntimeException e) {
              // It must not keep all others from being removed.
              System.getLogger("io.retrysafe")
                  .log(
                      System.Logger.Level.WARNING,
                      "the unsettled entry {0} expired and cannot be read: {1}",
                      HexFormat.of().formatHex(id),
                      EntryColumns.problem(e));
            }
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
