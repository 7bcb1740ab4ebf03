// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What happened to entries, in a table of its own: the last events of each; and what operators did,
 * in another that outlives them.
 */
final class Events {
  private static final int MOST = 100;

  /** Kinds of which an entry cannot have many without others in between. */
  private static final Set<String> FEW = Set.of("claimed", "completed", History.REPLAYED);

  private final Statements statements;

  Events(Statements statements) {
    this.statements = statements;
  }

  /** Appends all events, in a transaction of the caller's. */
  int append(Session session, List<Event> events) throws SQLException {
    List<Event> replays = new ArrayList<>(counted(events));
    List<Event> added = new ArrayList<>();
    events.stream().filter(event -> !isReplay(event)).forEach(added::add);
    int[] merged = each(session, "merge_event", replays);
    for (int i = 0; i < merged.length; i++) {
      if (merged[i] == 0) {
        added.add(replays.get(i));
      }
    }
    add(session, added);
    trim(session, events);
    for (Event event : events) {
      audit(session, event);
    }
    return events.size();
  }

  private void add(Session session, List<Event> events) throws SQLException {
    if (!session.dialect().hasArrays()) {
      each(session, "add_event", events);
    } else if (!events.isEmpty()) {
      // A statement for each would take the server about as long as the calls that are told of.
      session.update(statements.get("add_events"), arrays(events));
    }
  }

  private static boolean isReplay(Event event) {
    return event.kind().equals(History.REPLAYED);
  }

  /** Returns one event for all replays of a key that one writer saw. */
  private static Collection<Event> counted(List<Event> events) {
    Map<List<Object>, Event> counted = new LinkedHashMap<>();
    events.stream()
        .filter(Events::isReplay)
        .forEach(
            event ->
                counted.merge(
                    List.of(event.key(), event.by()),
                    event,
                    (one, next) ->
                        new Event(
                            one.key(),
                            one.kind(),
                            one.by(),
                            one.first(),
                            next.last(),
                            one.count() + next.count(),
                            next.detail())));
    return counted.values();
  }

  /** Runs a statement for each event and returns how many rows each time. */
  private int[] each(Session session, String name, List<Event> events) throws SQLException {
    Sql sql = statements.get(name);
    if (events.isEmpty()) {
      return new int[0];
    }
    Dialect dialect = session.dialect();
    if (dialect == Dialect.MARIADB || dialect == Dialect.MYSQL) {
      // MariaDB's driver would send a batch in a form that its server refuses for INSERT ...
      // SELECT.
      int[] rows = new int[events.size()];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = session.update(sql, parameters(events.get(i)));
      }
      return rows;
    }
    return session.updateAll(sql, events.stream().map(Events::parameters).toList());
  }

  private void trim(Session session, List<Event> events) throws SQLException {
    // In one order everywhere, so that two writers cannot deadlock.
    Set<RowId> crowded = new TreeSet<>();
    events.stream()
        .filter(event -> !FEW.contains(event.kind()))
        .forEach(event -> crowded.add(RowId.of(event.key())));
    for (RowId id : crowded) {
      session.update(
          statements.get("trim_events"),
          new Parameters().bytes("id", id.bytes()).integer("most", MOST));
    }
  }

  private void audit(Session session, Event event) throws SQLException {
    if (!event.kind().equals(History.RESOLVED)) {
      return;
    }
    Parameters parameters =
        parameters(event)
            .text("tenant", event.key().scope().account())
            .text("endpoint", event.key().scope().endpoint())
            .text("parts", EntryColumns.endpointParts(event.key().scope()))
            .text("key", event.key().value());
    boolean isThere = session.query(statements.get("is_audited"), parameters, ResultSet::next);
    if (!isThere) {
      session.update(statements.get("add_audit"), parameters);
    }
  }

  private static Parameters arrays(List<Event> events) {
    return new Parameters()
        .array("id", events.stream().map(e -> RowId.of(e.key()).bytes()).toArray(byte[][]::new))
        .array("kind", events.stream().map(Event::kind).toArray(String[]::new))
        .array("by", events.stream().map(Event::by).toArray(String[]::new))
        .array("first", events.stream().mapToLong(e -> Micros.of(e.first())).toArray())
        .array("last", events.stream().mapToLong(e -> Micros.of(e.last())).toArray())
        .array("times", events.stream().mapToInt(Event::count).toArray())
        .array("detail", events.stream().map(Event::detail).toArray(String[]::new));
  }

  private static Parameters parameters(Event event) {
    return new Parameters()
        .bytes("id", RowId.of(event.key()).bytes())
        .text("kind", event.kind())
        .text("by", event.by())
        .number("first", Micros.of(event.first()))
        .number("last", Micros.of(event.last()))
        .integer("times", event.count())
        .text("detail", event.detail());
  }

  List<Event> audit(Session session, Instant before, int limit) throws SQLException {
    return session.query(
        statements.get("audit"),
        new Parameters().number("before", Micros.of(before)).integer("limit", limit),
        rows -> {
          List<Event> events = new ArrayList<>();
          while (rows.next()) {
            Instant at = Micros.instant(rows.getLong(6));
            events.add(
                new Event(
                    EntryColumns.keyOrUnreadable(rows, 1),
                    History.RESOLVED,
                    rows.getString(5),
                    at,
                    at,
                    1,
                    rows.getString(7)));
          }
          return events;
        });
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
