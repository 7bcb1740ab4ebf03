// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testing.servers.PostgresServer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Two thousand transfers by processes that are killed at every boundary, each retried. */
final class LedgerKillTest {
  private static final int TRANSFERS = 2000;
  private static final int KILLS = 25;

  @Test
  void everyTransferIsInTheLedgerOnceHoweverOftenItsProcessIsKilled() throws Exception {
    Path folder = Files.createTempDirectory("ledger");
    Path answers = folder.resolve("answers");
    try (PostgresServer server = PostgresServer.start()) {
      DataSource source = Databases.postgres(server);
      JdbcSchema.of(source).apply();
      Ledger.create(source);
      LedgerProcess.Boundary[] boundaries = LedgerProcess.Boundary.values();
      int part = TRANSFERS / (KILLS + 1);
      int killed = 0;
      for (int kill = 0; kill < KILLS; kill++) {
        LedgerProcess.Boundary boundary = boundaries[kill % (boundaries.length - 1)];
        killed +=
            run(server, answers, folder, next(answers), boundary, (kill + 1) * part) == 9 ? 1 : 0;
      }
      int last =
          run(server, answers, folder, next(answers), LedgerProcess.Boundary.NEVER, TRANSFERS);

      assertThat(last).as(Files.readString(folder.resolve("log"))).isZero();
      assertThat(killed).isEqualTo(KILLS);
      Map<String, String> ledger = ledger(source);
      assertThat(ledger).hasSize(TRANSFERS);
      for (String line : Files.readAllLines(answers)) {
        String[] words = line.split(" ", 2);
        assertThat(ledger.get("transfer-" + words[0])).isEqualTo(words[1]);
      }
      assertThat(number(source, "SELECT balance FROM account WHERE name = 'bob'"))
          .isEqualTo(TRANSFERS);
      assertThat(number(source, "SELECT sum(balance) FROM account")).isEqualTo(100_000);
    }
  }

  /** Returns the first transfer that nobody was told of. */
  private static int next(Path answers) throws Exception {
    return Files.exists(answers) ? Files.readAllLines(answers).size() + 1 : 1;
  }

  private static int run(
      PostgresServer server,
      Path answers,
      Path folder,
      int first,
      LedgerProcess.Boundary boundary,
      int fatal)
      throws Exception {
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                LedgerProcess.class.getName(),
                server.url(),
                answers.toString(),
                Integer.toString(first),
                Integer.toString(TRANSFERS),
                boundary.name(),
                Integer.toString(fatal))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(folder.resolve("log").toFile()))
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  /** Returns the number of each transfer by its key, and fails where a key has two. */
  private static Map<String, String> ledger(DataSource source) throws SQLException {
    Map<String, String> all = new HashMap<>();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT key, no FROM transfer")) {
      while (rows.next()) {
        assertThat(all.put(rows.getString(1), rows.getString(2))).isNull();
      }
    }
    return all;
  }

  private static long number(DataSource source, String sql) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getLong(1);
    }
  }
}
