// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.InProgressException;
import io.retrysafe.Retrysafe;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A process that makes transfers one after the other and writes down each answer, until it is
 * killed at a boundary of one of them.
 */
final class LedgerProcess {
  /** Where a process may die. */
  enum Boundary {
    CLAIM,
    EFFECT,
    COMPLETE,
    COMMIT,
    ANSWER,
    NEVER
  }

  private LedgerProcess() {}

  /**
   * Arguments: database, file of answers, first and last transfer, boundary, transfer to die in.
   */
  public static void main(String[] args) throws Exception {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(args[0]);
    Path answers = Path.of(args[1]);
    Boundary boundary = Boundary.valueOf(args[4]);
    int fatal = Integer.parseInt(args[5]);
    try (JdbcStore store = JdbcStore.create(source);
        Retrysafe engine = Retrysafe.create(store)) {
      int[] current = {0};
      Ledger ledger =
          new Ledger(
              new KeptConnection(args[0]),
              store,
              engine,
              connection -> watched(connection, boundary, () -> current[0] == fatal));
      for (int i = Integer.parseInt(args[2]); i <= Integer.parseInt(args[3]); i++) {
        current[0] = i;
        int number = i;
        String answer =
            patiently(
                () ->
                    ledger.transfer(
                        "transfer-" + number,
                        () -> dieIf(boundary == Boundary.EFFECT && number == fatal)));
        dieIf(boundary == Boundary.ANSWER && i == fatal);
        Files.writeString(
            answers, i + " " + answer + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
    }
  }

  private static void dieIf(boolean now) {
    if (now) {
      Runtime.getRuntime().halt(9);
    }
  }

  /** Retries as a client does while the killed process's lease stands. */
  private static String patiently(Transfer transfer) throws Exception {
    while (true) {
      try {
        return transfer.run();
      } catch (InProgressException e) {
        TimeUnit.MILLISECONDS.sleep(50);
      }
    }
  }

  private static Connection watched(Connection real, Boundary boundary, BooleanSupplier isFatal) {
    return (Connection)
        Proxy.newProxyInstance(
            LedgerProcess.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                return null;
              }
              // The first statement of the transfer: the claim is made, nothing else.
              boolean isFirst = method.getName().equals("createStatement");
              dieIf(isFirst && boundary == Boundary.CLAIM && isFatal.getAsBoolean());
              boolean isCommit = method.getName().equals("commit");
              dieIf(isCommit && boundary == Boundary.COMPLETE && isFatal.getAsBoolean());
              try {
                Object result = method.invoke(real, arguments);
                dieIf(isCommit && boundary == Boundary.COMMIT && isFatal.getAsBoolean());
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /**
   * A source that has one connection: opening one for each transfer would take most of the time.
   */
  private static final class KeptConnection extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;
    private transient @Nullable Connection kept;

    KeptConnection(String url) {
      setUrl(url);
    }

    @Override
    public Connection getConnection() throws SQLException {
      if (kept == null) {
        kept = super.getConnection();
      }
      return kept;
    }
  }

  private interface Transfer {
    String run() throws SQLException;
  }
}
