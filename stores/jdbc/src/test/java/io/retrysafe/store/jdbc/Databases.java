// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/** Plain sources of connections, without a pool. */
final class Databases {
  private Databases() {}

  static DataSource postgres(PostgresServer server) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    return source;
  }

  static DataSource mariaDb(MariaDbServer server) {
    try {
      return new MariaDbDataSource(server.url());
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the database at a JDBC address. */
  static DataSource at(String url) throws SQLException {
    if (url.startsWith("jdbc:sqlite:")) {
      return sqlite(Path.of(url.substring("jdbc:sqlite:".length())));
    }
    if (url.startsWith("jdbc:mariadb:")) {
      return new MariaDbDataSource(url);
    }
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    return source;
  }

  /** Returns {@code source} as a database that says it is MySQL. */
  static DataSource calledMySql(DataSource source) {
    return disguised(
        DataSource.class,
        source,
        "getConnection",
        connection ->
            disguised(
                Connection.class,
                connection,
                "getMetaData",
                meta ->
                    disguised(
                        DatabaseMetaData.class, meta, "getDatabaseProductName", name -> "MySQL")));
  }

  /** What happens around each run of a statement. */
  interface Around {
    Object run(String sql, Callable<Object> statement) throws Throwable;
  }

  /** Returns {@code real} with {@code around} around each run of its statements. */
  static DataSource around(DataSource real, Around around) {
    return disguised(
        DataSource.class, real, "getConnection", it -> around((Connection) it, around));
  }

  /**
   * Returns {@code real} with {@code action} before each run of a prepared statement whose text
   * contains {@code text}.
   */
  static Connection before(Connection real, String text, Runnable action) {
    return around(
        real,
        (sql, statement) -> {
          if (sql.contains(text)) {
            action.run();
          }
          return statement.call();
        });
  }

  private static Connection around(Connection real, Around around) {
    return proxy(
        Connection.class,
        (called, arguments) -> {
          Object result = called.invoke(real, arguments);
          return switch (called.getName()) {
            case "prepareStatement" ->
                around(PreparedStatement.class, result, (String) arguments[0], around);
            case "createStatement" -> around(Statement.class, result, "", around);
            default -> result;
          };
        });
  }

  private static <T> T around(Class<T> type, Object real, String prepared, Around around) {
    return proxy(
        type,
        (called, arguments) -> {
          if (!called.getName().startsWith("execute")) {
            return called.invoke(real, arguments);
          }
          String sql = arguments == null ? prepared : (String) arguments[0];
          return around.run(sql, () -> called.invoke(real, arguments));
        });
  }

  private interface Invocation {
    Object of(Method method, Object[] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Invocation invocation) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              try {
                return invocation.of(called, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  /** Returns {@code real} with what one of its methods returns changed. */
  private static <T> T disguised(
      Class<T> type, Object real, String method, UnaryOperator<Object> change) {
    return proxy(
        type,
        (called, arguments) -> {
          Object result = called.invoke(real, arguments);
          return called.getName().equals(method) ? change.apply(result) : result;
        });
  }

  /** Returns a file that is not there yet, in a folder of its own. */
  static Path newFile() {
    try {
      return Files.createTempDirectory("sqlite").resolve("store.db");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static DataSource sqlite(Path file) {
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite:" + file);
    return source;
  }
}
