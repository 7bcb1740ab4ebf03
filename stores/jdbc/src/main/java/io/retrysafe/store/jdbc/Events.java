// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** What happened to entries, in a table of its own: the last events of each. */
final class Events {
  private static final int MOST = 100;

  private final Statements statements;

  Events(Statements statements) {
    this.statements = statements;
  }

  /** Appends all events or none. */
  int append(Session session, List<Event> events) throws SQLException {
    return session.atomically(
        own -> {
          Set<RowId> touched = new TreeSet<>();
          for (Event event : events) {
            RowId id = RowId.of(event.key());
            add(own, id, event);
            touched.add(id);
          }
          for (RowId id : touched) {
            own.update(
                statements.get("trim_events"),
                new Parameters().bytes("id", id.bytes()).integer("most", MOST));
          }
          return events.size();
        });
  }

  private void add(Session session, RowId id, Event event) throws SQLException {
    Parameters parameters =
        new Parameters()
            .bytes("id", id.bytes())
            .text("kind", event.kind())
            .text("by", event.by())
            .number("first", Micros.of(event.first()))
            .number("last", Micros.of(event.last()))
            .integer("times", event.count())
            .text("detail", event.detail());
    boolean merged =
        event.kind().equals(History.REPLAYED)
            && session.update(statements.get("merge_event"), parameters) > 0;
    if (!merged) {
      session.update(statements.get("add_event"), parameters);
    }
  }

  List<Event> of(Session session, OperationKey key) throws SQLException {
    return session.query(
        statements.get("events"),
        new Parameters().bytes("id", RowId.of(key).bytes()),
        rows -> {
          List<Event> events = new ArrayList<>();
          while (rows.next()) {
            events.add(
                new Event(
                    key,
                    rows.getString(1),
                    rows.getString(2),
                    Micros.instant(rows.getLong(3)),
                    Micros.instant(rows.getLong(4)),
                    rows.getInt(5),
                    rows.getString(6)));
          }
          return events;
        });
  }
}
