// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.testing.servers.FaultProxy;
import io.retrysafe.testing.servers.MariaDbServer;
import io.retrysafe.testing.servers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Connections whose session is replaced unseen are refused, and drivers send a statement once. */
final class SourceCheckTest {
  private static PostgresServer postgres;
  private static MariaDbServer mariaDb;

  @BeforeAll
  static void start() {
    postgres = PostgresServer.start();
    mariaDb = MariaDbServer.start();
  }

  @AfterAll
  static void stop() {
    postgres.close();
    mariaDb.close();
  }

  @Test
  void aPoolerThatChangesSessionsIsRefusedAtTheStartAndGetsNoSettings() throws Exception {
    try (TransactionPooler pooler = TransactionPooler.start(postgres.port())) {
      PGSimpleDataSource source = new PGSimpleDataSource();
      source.setUrl(
          "jdbc:postgresql://127.0.0.1:"
              + pooler.port()
              + "/postgres?user=postgres&sslmode=disable");
      assertThatThrownBy(() -> JdbcStore.builder(source).applySchema(true).build().close())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("pool_mode=transaction");
      try (Connection another = source.getConnection();
          Statement statement = another.createStatement();
          ResultSet rows = statement.executeQuery("SHOW lock_timeout")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1)).isEqualTo("0");
      }
    }
  }

  @Test
  void aSourceWithSessionsOfItsOwnIsFine() {
    assertThatCode(
            () -> JdbcStore.builder(Databases.postgres(postgres)).applySchema(true).build().close())
        .doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:mariadb:sequential://", "jdbc:mariadb:replication://"})
  void aDriverThatReconnectsByItselfIsRefused(String mode) throws SQLException {
    MariaDbDataSource source =
        new MariaDbDataSource(mariaDb.url().replace("jdbc:mariadb://", mode));
    assertThatThrownBy(() -> JdbcStore.builder(source).applySchema(true).build().close())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("reconnect by itself");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mariadb://h/db?user=a&transactionReplay=true",
        "jdbc:mysql://h/db?autoReconnect=true",
        "jdbc:mysql:loadbalance://h,i/db",
        "jdbc:mysql:replication://h,i/db"
      })
  void otherAddressesOfSuchDriversAreRefused(String url) {
    assertThatThrownBy(() -> SourceCheck.checkAddress(url))
        .isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:mariadb://h,i/db?user=sequential:",
        "jdbc:mysql://h/db?autoReconnect=false",
        "jdbc:mariadb://h/db?transactionReplay=false"
      })
  void addressesOfDriversThatDoNotAreFine(String url) {
    assertThatCode(() -> SourceCheck.checkAddress(url)).doesNotThrowAnyException();
  }

  /** The answer is lost and the connection cut: only the store may ask again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aDriverSendsAStatementOnce(boolean onPostgres) throws Exception {
    int port = onPostgres ? postgres.port() : mariaDb.port();
    String direct = onPostgres ? postgres.url() : mariaDb.url();
    run(direct, "CREATE TABLE sent (no integer)");
    try (FaultProxy proxy = FaultProxy.start(port);
        Connection connection =
            DriverManager.getConnection(direct.replace(":" + port, ":" + proxy.port()));
        PreparedStatement insert = connection.prepareStatement("INSERT INTO sent VALUES (?)")) {
      for (int i = 0; i < 6; i++) {
        insert.setInt(1, i);
        insert.executeUpdate();
      }
      proxy.mode(FaultProxy.Mode.LOSE_ANSWERS);
      insert.setInt(1, 7);
      assertThatThrownBy(insert::executeUpdate).isInstanceOf(SQLException.class);
      proxy.mode(FaultProxy.Mode.PASS);
      // A driver that repeats it would do so at once.
      TimeUnit.MILLISECONDS.sleep(300);
      assertThat(count(direct, "SELECT count(*) FROM sent WHERE no = 7")).isEqualTo(1);
    }
  }

  private static void run(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static long count(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getLong(1);
    }
  }
}
