// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Browsable.Unreadable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Metered.Usage;
import io.retrysafe.store.State;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Pages of entries. Unsettled ones come oldest first, through an index of their own; where settled
 * ones are asked for too the order is that of the primary key. A cursor names the last row seen.
 * Where few rows may fit the table is read once and what fits is sorted; otherwise a walk along the
 * primary key soon has enough.
 */
final class EntryListing {
  private static final Set<State> UNSETTLED =
      EnumSet.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE);
  private static final HexFormat HEX = HexFormat.of();
  private static final int TIME_DIGITS = 16;

  /** A page whose answers take more ends early. */
  private static final long MOST_BYTES = 16 * 1024 * 1024;

  private final Statements statements;
  private final String select;

  EntryListing(Statements statements) {
    this.statements = statements;
    this.select = statements.text("browse");
  }

  /** Returns whether an index leads to what is looked for; otherwise much may have to be read. */
  static boolean hasIndex(Query query) {
    return UNSETTLED.containsAll(query.states());
  }

  Page page(Session session, Query query) throws SQLException {
    if (query.states().isEmpty()) {
      return new Page(List.of(), Optional.empty());
    }
    Parameters parameters = new Parameters();
    Sql sql = sql(query, parameters);
    boolean byTime = hasIndex(query);
    List<Found> found = session.queryOnce(sql, parameters, rows -> read(rows, byTime));
    return page(session, found, query.limit());
  }

  /** Counts all entries; the first row is the sum, the others are accounts that hold much. */
  Usage usage(Session session, long entries, long bytes) throws SQLException {
    Parameters parameters = new Parameters().number("entries", entries).number("bytes", bytes);
    return session.queryOnce(
        statements.parse(statements.text("usage")),
        parameters,
        rows -> {
          long allEntries = 0;
          long allBytes = 0;
          Set<String> large = new HashSet<>();
          while (rows.next()) {
            String account = rows.getString(1);
            if (account == null) {
              allEntries = rows.getLong(2);
              allBytes = rows.getLong(3);
            } else {
              large.add(account);
            }
          }
          return new Usage(allEntries, allBytes, large);
        });
  }

  /** Returns the statement for a query, and puts what it asks for into {@code parameters}. */
  Sql sql(Query query, Parameters parameters) {
    boolean byTime = hasIndex(query);
    StringBuilder sql = new StringBuilder(select);
    // One more than asked for tells whether there is a next page.
    parameters.integer("limit", query.limit() + 1);
    parameters.integer("share", LargeAnswers.share(query.limit() + 1));
    sql.append(" AND ").append(byTime ? statements.text("open") : "e.phase < 5");
    sql.append(
        query.states().stream()
            .map(this::condition)
            .collect(Collectors.joining(" OR ", " AND (", ")")));
    query.account().ifPresent(value -> only(sql, parameters, "tenant", "e.tenant", value));
    query.endpoint().ifPresent(value -> only(sql, parameters, "endpoint", "e.endpoint", value));
    query.key().ifPresent(value -> only(sql, parameters, "key", keyColumn(), value));
    if (!query.olderThan().isZero()) {
      sql.append(" AND e.created_at <= ").append(statements.text("before :age"));
      parameters.number("age", Micros.of(query.olderThan()));
    }
    query.cursor().ifPresent(cursor -> after(sql, parameters, byTime, cursor));
    sql.append(" ORDER BY ").append(order(query)).append(" LIMIT :limit");
    return statements.parse(sql.toString());
  }

  private String order(Query query) {
    if (hasIndex(query)) {
      return "e.created_at, e.id";
    }
    return isSelective(query) ? statements.text("scanned") : "e.id";
  }

  /** Returns whether few rows may fit, so that a walk from one to the next could be a long one. */
  private static boolean isSelective(Query query) {
    return query.account().isPresent()
        || query.endpoint().isPresent()
        || query.key().isPresent()
        || !query.olderThan().isZero()
        || !query.states().contains(State.COMPLETED);
  }

  private String keyColumn() {
    return "e." + statements.text("key");
  }

  private static void only(
      StringBuilder sql, Parameters parameters, String name, String column, String value) {
    sql.append(" AND ").append(column).append(" = :").append(name);
    parameters.text(name, value);
  }

  private void after(StringBuilder sql, Parameters parameters, boolean byTime, String cursor) {
    boolean fits =
        cursor.length() == 2 * RowId.SIZE + (byTime ? TIME_DIGITS : 0)
            && cursor.chars().allMatch(HexFormat::isHexDigit);
    if (!fits) {
      throw new IllegalArgumentException("this cursor is not one of this listing: " + cursor);
    }
    if (byTime) {
      sql.append(" AND (e.created_at, e.id) > (")
          .append(statements.text("moment :after"))
          .append(", :id)");
      parameters.number("after", HexFormat.fromHexDigitsToLong(cursor, 0, TIME_DIGITS));
    } else {
      sql.append(" AND e.id > :id");
    }
    parameters.bytes("id", HEX.parseHex(cursor, cursor.length() - 2 * RowId.SIZE, cursor.length()));
  }

  private String condition(State state) {
    String at = statements.text("at");
    return switch (state) {
      case IN_PROGRESS -> "(e.phase = 0 AND e.lease_until > " + at + ")";
      case UNKNOWN -> "e.phase = 2 OR (e.phase = 0 AND e.lease_until <= " + at + ")";
      case RESUMABLE -> "e.phase = 1";
      case COMPLETED -> "e.phase = 3";
      case FAILED -> "e.phase = 4";
    };
  }

  /**
   * A row of a page. It has neither an entry nor a problem if its answer is too large to come with
   * those of others.
   */
  private record Found(
      String id,
      String cursor,
      Optional<OperationKey> key,
      Optional<Entry> entry,
      Optional<Unreadable> problem) {}

  private static List<Found> read(ResultSet rows, boolean byTime) throws SQLException {
    List<Found> found = new ArrayList<>();
    while (rows.next()) {
      String id = HEX.formatHex(rows.getBytes(1));
      String cursor =
          byTime ? HEX.toHexDigits(EntryColumns.createdAt(rows, 2), TIME_DIGITS) + id : id;
      Optional<OperationKey> key = key(rows);
      try {
        boolean isLarge = key.isPresent() && EntryColumns.isWithoutAnswer(rows, 2, 0);
        Entry entry =
            isLarge
                ? null
                : EntryColumns.entry(
                    rows, 2, EntryColumns.key(rows, 2 + EntryColumns.ENTRY_COLUMNS));
        if (isLarge || entry != null) {
          found.add(new Found(id, cursor, key, Optional.ofNullable(entry), Optional.empty()));
        }
      } catch (RuntimeException e) {
        Unreadable problem = new Unreadable(id, key, EntryColumns.problem(e));
        found.add(new Found(id, cursor, key, Optional.empty(), Optional.of(problem)));
      }
    }
    return found;
  }

  private static Optional<OperationKey> key(ResultSet row) throws SQLException {
    try {
      return Optional.of(EntryColumns.key(row, 2 + EntryColumns.ENTRY_COLUMNS));
    } catch (RuntimeException e) {
      return Optional.empty();
    }
  }

  /** Returns the page of the rows that were found, shorter where their answers are large. */
  private Page page(Session session, List<Found> found, int limit) throws SQLException {
    List<Entry> entries = new ArrayList<>();
    List<Unreadable> unreadable = new ArrayList<>();
    long bytes = 0;
    for (int i = 0; i < Math.min(limit, found.size()); i++) {
      Found each = found.get(i);
      boolean isLarge = each.entry.isEmpty() && each.problem.isEmpty();
      Found whole = isLarge ? whole(session, each) : each;
      whole.entry.ifPresent(entries::add);
      whole.problem.ifPresent(unreadable::add);
      bytes += whole.entry.flatMap(Entry::outcome).map(it -> it.body().size()).orElse(0);
      boolean hasMore = i + 1 < found.size();
      if (hasMore && (i + 1 == limit || bytes > MOST_BYTES)) {
        return new Page(entries, unreadable, Optional.of(each.cursor));
      }
    }
    return new Page(entries, unreadable, Optional.empty());
  }

  /** Reads an entry with its large answer; nothing if it is settled no more. */
  private Found whole(Session session, Found row) throws SQLException {
    Optional<Entry> entry = Optional.empty();
    Optional<Unreadable> problem = Optional.empty();
    try {
      entry =
          session
              .query(
                  statements.get("held"),
                  new Parameters()
                      .bytes("id", HEX.parseHex(row.id))
                      .integer("share", Integer.MAX_VALUE),
                  rows ->
                      rows.next()
                          ? Optional.ofNullable(EntryColumns.entry(rows, 1, row.key.orElseThrow()))
                          : Optional.<Entry>empty())
              .filter(each -> each.outcome().isPresent());
    } catch (RuntimeException e) {
      problem = Optional.of(new Unreadable(row.id, row.key, EntryColumns.problem(e)));
    }
    return new Found(row.id, row.cursor, row.key, entry, problem);
  }
}
