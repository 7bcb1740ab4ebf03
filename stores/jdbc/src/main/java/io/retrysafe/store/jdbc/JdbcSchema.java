// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.store.NoAnswerException;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The tables of the store: their DDL, how they are made, and whether they are as this release needs
 * them. Every call opens one connection, and throws a {@link NoAnswerException} where the database
 * is not there. The same files are in the jar under {@code io/retrysafe/store/jdbc/ddl/<database>}
 * for Flyway and the like.
 */
public final class JdbcSchema {
  /** The version of the tables that this release reads and writes. */
  public static final int VERSION = 3;

  /** What leads from each version to the next. */
  private static final List<String> STEPS =
      List.of("V1__retrysafe.sql", "V2__retrysafe_audit.sql", "V3__retrysafe_secret.sql");

  private static final Pattern TABLE =
      Pattern.compile(
          "(?s)CREATE TABLE (\\w+) \\(\\n(.*?)\\n\\)|CREATE TABLE (\\w+) \\((\\w+ [^)]*)\\)");
  private static final Pattern COLUMN = Pattern.compile("^\\s*`?(\\w+)`? [a-zA-Z]");
  private static final Set<String> NO_COLUMNS = Set.of("PRIMARY", "INDEX", "UNIQUE");

  private final SessionPool.Source source;

  private JdbcSchema(SessionPool.Source source) {
    this.source = source;
  }

  /** Returns the schema of the database behind {@code source}. */
  public static JdbcSchema of(DataSource source) {
    return new JdbcSchema(source::getConnection);
  }

  static JdbcSchema of(SessionPool.Source source) {
    return new JdbcSchema(source);
  }

  /** Returns the statements that make the tables, for this database. */
  public String print() {
    return with(connection -> ddl(dialect(connection)));
  }

  /**
   * Returns the statements that make the tables of a database.
   *
   * @param product what the database calls itself, such as {@code PostgreSQL}
   */
  public static String print(String product) {
    return ddl(Dialect.of(product));
  }

  /**
   * Makes the tables unless they are there, and brings older ones up to this version.
   *
   * @return whether it changed something
   * @throws IllegalStateException if the database refuses, or has tables that differ
   */
  public boolean apply() {
    return with(
        connection -> {
          List<String> differences = differences(connection);
          if (differences.isEmpty()) {
            return false;
          }
          int version = version(connection);
          if (version >= VERSION || (version == 0 && isThere(connection))) {
            throw differing(differences);
          }
          create(connection, version);
          return true;
        });
  }

  /** Returns in which ways the tables differ from what this release needs; empty if they do not. */
  public List<String> check() {
    return with(JdbcSchema::differences);
  }

  static IllegalStateException differing(List<String> differences) {
    return new IllegalStateException(
        "the tables are not those of schema version "
            + VERSION
            + ": "
            + String.join("; ", differences)
            + ". Apply the DDL that JdbcSchema.print() gives");
  }

  static Dialect dialect(Connection connection) throws SQLException {
    return Dialect.of(connection.getMetaData().getDatabaseProductName());
  }

  private static void create(Connection connection, int from) throws SQLException {
    Dialect dialect = dialect(connection);
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      for (String each : ddl(dialect, from).split(";\\s*(?:\\n|$)", -1)) {
        if (!each.isBlank()) {
          statement.execute(each);
        }
      }
      connection.commit();
    } catch (SQLException e) {
      connection.rollback();
      // Another process may have been faster.
      if (!differences(connection).isEmpty()) {
        throw new IllegalStateException(
            dialect.product()
                + " did not let this user make the tables: "
                + e.getMessage()
                + ". Let somebody who may run what JdbcSchema.print() gives",
            e);
      }
    } finally {
      connection.setAutoCommit(autoCommit);
    }
  }

  private static boolean isThere(Connection connection) throws SQLException {
    return !columns(connection, "retrysafe_entry").isEmpty();
  }

  private static List<String> differences(Connection connection) throws SQLException {
    List<String> differences = new ArrayList<>();
    Matcher table = TABLE.matcher(ddl(dialect(connection)));
    while (table.find()) {
      String name = table.group(1) == null ? table.group(3) : table.group(1);
      String body = table.group(2) == null ? table.group(4) : table.group(2);
      Set<String> actual = columns(connection, name);
      if (actual.isEmpty()) {
        differences.add("the table " + name + " is missing");
        continue;
      }
      String missing =
          expected(body).stream()
              .filter(column -> !actual.contains(column))
              .collect(Collectors.joining(", "));
      if (!missing.isEmpty()) {
        differences.add("the table " + name + " has no " + missing);
      }
    }
    if (differences.isEmpty()) {
      int version = version(connection);
      if (version != VERSION) {
        differences.add("the tables are of version " + version);
      }
    }
    return differences;
  }

  private static Set<String> expected(String body) {
    Set<String> names = new LinkedHashSet<>();
    for (String line : body.lines().toList()) {
      Matcher column = COLUMN.matcher(line);
      if (column.find() && !NO_COLUMNS.contains(column.group(1))) {
        names.add(column.group(1).toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  /** Returns 0 where there is none. */
  private static int version(Connection connection) throws SQLException {
    if (columns(connection, "retrysafe_schema").isEmpty()) {
      return 0;
    }
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT max(version) FROM retrysafe_schema")) {
      return rows.next() ? rows.getInt(1) : 0;
    }
  }

  private static Set<String> columns(Connection connection, String table) throws SQLException {
    DatabaseMetaData meta = connection.getMetaData();
    Set<String> names = new LinkedHashSet<>();
    try (ResultSet rows =
        meta.getColumns(connection.getCatalog(), connection.getSchema(), table, null)) {
      while (rows.next()) {
        names.add(rows.getString("COLUMN_NAME").toLowerCase(Locale.ROOT));
      }
    }
    return names;
  }

  private static String ddl(Dialect dialect) {
    return ddl(dialect, 0);
  }

  /** Returns the statements that lead from a version to this one. */
  private static String ddl(Dialect dialect, int from) {
    return STEPS.subList(from, VERSION).stream()
        .map(step -> Statements.resource("ddl/" + dialect.tables() + "/" + step))
        .collect(Collectors.joining("\n"));
  }

  private <T> T with(Work<T> work) {
    try (Connection connection = open()) {
      return work.on(connection);
    } catch (SQLException e) {
      throw new IllegalStateException("the database could not be asked: " + e.getMessage(), e);
    }
  }

  private Connection open() throws SQLException {
    try {
      return source.open();
    } catch (SQLException e) {
      String state = String.valueOf(e.getSQLState());
      if (state.startsWith("28") || state.startsWith("3D")) {
        throw e;
      }
      throw new NoAnswerException("the database cannot be reached: " + e.getMessage(), e);
    }
  }

  private interface Work<T> {
    T on(Connection connection) throws SQLException;
  }
}
