// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A source whose connections throw what they are told to, before they do anything. */
final class FaultySource extends PGSimpleDataSource {
  private static final long serialVersionUID = 1;

  private final transient DataSource source;
  private final AtomicInteger left = new AtomicInteger();
  private final AtomicInteger thrown = new AtomicInteger();
  private volatile String method = "";
  private transient volatile Supplier<? extends Throwable> error = OutOfMemoryError::new;

  FaultySource(DataSource source) {
    this.source = source;
  }

  /** Makes the next {@code times} calls of a method of connections fail. */
  void fail(String called, int times, Supplier<? extends Throwable> with) {
    left.set(0);
    method = called;
    error = with;
    left.set(times);
  }

  /** Returns how often something was thrown. */
  int thrown() {
    return thrown.get();
  }

  @Override
  public Connection getConnection() throws SQLException {
    try {
      check("getConnection");
    } catch (SQLException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
    Connection real = source.getConnection();
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, called, arguments) -> invoke(real, called, arguments));
  }

  private Object invoke(Connection real, Method called, Object[] arguments) throws Throwable {
    check(called.getName());
    try {
      return called.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private void check(String called) throws Throwable {
    if (called.equals(method) && left.get() > 0 && left.getAndDecrement() > 0) {
      thrown.incrementAndGet();
      throw error.get();
    }
  }
}
