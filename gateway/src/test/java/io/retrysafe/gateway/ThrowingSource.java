// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A data source whose connections fail when a test says so. */
final class ThrowingSource implements DataSource {
  private enum Mode {
    WORK,
    THROW_ONCE_IN_EACH_THREAD,
    THROW_IN_CLAIMS,
    REFUSE
  }

  private static final String CLAIM = "INSERT INTO retrysafe_entry";

  private final DataSource inner;
  private final Set<Thread> thrown = ConcurrentHashMap.newKeySet();
  private volatile Mode mode = Mode.WORK;
  private volatile String refusal = "";
  private volatile int refusalCode;

  ThrowingSource(DataSource inner) {
    this.inner = inner;
  }

  /** Throws an error in the next statement, or attempt to connect, of each thread of ours. */
  void throwInEachThread() {
    thrown.clear();
    mode = Mode.THROW_ONCE_IN_EACH_THREAD;
  }

  /** Throws an error in every statement that claims, in whatever thread; all others work. */
  void throwInClaims() {
    mode = Mode.THROW_IN_CLAIMS;
  }

  /** Answers every statement with an error of the database. */
  void refuse(String message, int code) {
    refusal = message;
    refusalCode = code;
    mode = Mode.REFUSE;
  }

  void stop() {
    mode = Mode.WORK;
  }

  private void met(String method, String sql) throws SQLException {
    boolean isStatement = method.startsWith("execute");
    if (mode == Mode.THROW_IN_CLAIMS && isStatement && sql.contains(CLAIM)) {
      throw new AssertionError("thrown by the test in a claim");
    }
    if (mode == Mode.THROW_ONCE_IN_EACH_THREAD
        && (isStatement || method.equals("getConnection"))
        && thrown.add(Thread.currentThread())) {
      throw new AssertionError("thrown by the test in " + Thread.currentThread().getName());
    }
    if (mode == Mode.REFUSE && isStatement) {
      throw new SQLException(refusal, null, refusalCode);
    }
  }

  private Object wrapped(Object inner, Class<?> type, String sql) {
    return Proxy.newProxyInstance(
        ThrowingSource.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> {
          met(method.getName(), sql);
          Object result;
          try {
            result = method.invoke(inner, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
          String of = arguments != null && arguments[0] instanceof String text ? text : "";
          return result instanceof CallableStatement
              ? wrapped(result, CallableStatement.class, of)
              : result instanceof PreparedStatement
                  ? wrapped(result, PreparedStatement.class, of)
                  : result instanceof Statement ? wrapped(result, Statement.class, of) : result;
        });
  }

  @Override
  public Connection getConnection() throws SQLException {
    met("getConnection", "");
    return (Connection) wrapped(inner.getConnection(), Connection.class, "");
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    return getConnection();
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return inner.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    inner.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    inner.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return inner.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return inner.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return inner.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return inner.isWrapperFor(type);
  }
}
