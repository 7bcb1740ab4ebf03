// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.testing.servers.PostgresServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the commands print, and how they end. */
class SchemaCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void theStatementsOfEveryDatabaseArePrinted() {
    for (String dialect : new String[] {"postgresql", "mariadb", "mysql", "sqlite"}) {
      assertThat(schema("print", "--dialect", dialect)).isEqualTo(0);
      assertThat(out.toString()).contains("CREATE TABLE retrysafe_entry");
      assertThat(err.toString()).isEmpty();
    }
  }

  @Test
  void printingNeedsToKnowWhichDatabase() {
    assertThat(schema("print")).isEqualTo(2);
    assertThat(schema("print", "--dialect", "oracle")).isEqualTo(2);
    assertThat(err.toString()).contains("postgresql, mysql, mariadb, sqlite");
    assertThat(schema("print", "--dialect", "sqlite", "--store", "memory:")).isEqualTo(2);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void tablesAreCheckedMadeAndCheckedAgain() throws SQLException {
    try (PostgresServer server = PostgresServer.start()) {
      assertThat(schema("check", "--store", server.url())).isEqualTo(1);
      assertThat(out.toString().lines()).contains("the table retrysafe_entry is missing");
      assertThat(schema("apply", "--store", server.url())).isEqualTo(0);
      assertThat(out.toString()).isEqualToIgnoringNewLines("created the tables");
      assertThat(schema("apply", "--store", server.url())).isEqualTo(0);
      assertThat(out.toString()).isEqualToIgnoringNewLines("the tables exist already");
      assertThat(schema("check", "--store", server.url())).isEqualTo(0);
      assertThat(schema("print", "--store", server.url())).isEqualTo(0);
      assertThat(out.toString()).contains("bytea PRIMARY KEY");
      try (Connection connection = DriverManager.getConnection(server.url());
          Statement statement = connection.createStatement()) {
        statement.execute("ALTER TABLE retrysafe_event DROP COLUMN detail");
      }
      assertThat(schema("check", "--store", server.url())).isEqualTo(1);
      assertThat(out.toString())
          .isEqualToIgnoringNewLines("the table retrysafe_event has no detail");
      assertThat(schema("apply", "--store", server.url())).isEqualTo(1);
      assertThat(err.toString()).contains("the table retrysafe_event has no detail");
    }
  }

  @Test
  void aCheckMakesNoFile(@TempDir Path folder) {
    Path file = folder.resolve("store.db");
    assertThat(schema("check", "--store", "sqlite:" + file)).isEqualTo(1);
    assertThat(out.toString()).contains("is missing");
    assertThat(Files.exists(file)).isFalse();
    assertThat(schema("apply", "--store", "sqlite:" + file)).isEqualTo(0);
    assertThat(schema("check", "--store", "sqlite:" + file)).isEqualTo(0);
  }

  @Test
  void aStoreWithoutTablesHasNothingToDo() {
    assertThat(schema("apply", "--store", "redis://:s3cret@127.0.0.1:1")).isEqualTo(0);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines("redis://127.0.0.1:1 has no tables; there is nothing to do");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void aDatabaseThatIsNotThereIsUnavailableAndItsPasswordStaysHidden() {
    String url = "jdbc:postgresql://app:s3cret@127.0.0.1:1/pay";
    assertThat(schema("check", "--store", url)).isEqualTo(6);
    assertThat(err.toString())
        .startsWith("retrysafe: jdbc:postgresql://127.0.0.1:1/pay: the database cannot be reached")
        .doesNotContain("s3cret");
    assertThat(schema("apply", "--store", "postgres://app:s3cret@db/pay")).isEqualTo(2);
    assertThat(err.toString()).contains("sqlite:PATH").doesNotContain("s3cret");
  }

  @Test
  void aStoreHasToBeNamed() {
    assertThat(schema("check")).isEqualTo(2);
    assertThat(err.toString()).contains("--store");
  }

  private int schema(String command, String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] all = new String[args.length + 2];
    all[0] = "schema";
    all[1] = command;
    System.arraycopy(args, 0, all, 2, args.length);
    return Main.execute(
        Main.commandLine().setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true)),
        all);
  }
}
