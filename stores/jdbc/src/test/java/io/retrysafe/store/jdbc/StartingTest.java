// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.ClaimResult.Granted;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

final class StartingTest {

  @Test
  void tablesAreMadeAndPeopleCanReadThem() throws SQLException {
    DataSource source = Databases.sqlite(Databases.newFile());
    // snippet:start
    JdbcSchema.of(source).apply();
    JdbcStore store = JdbcStore.create(source);
    // end
    try (store) {
      assertThat(store.claim(Samples.claim(Samples.newKey()))).isInstanceOf(Granted.class);
      try (Connection connection = source.getConnection();
          Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT tenant, endpoint, state, created_at FROM retrysafe_operation")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(1)).isEqualTo("merchant_7");
        assertThat(rows.getString(2)).isEqualTo("POST /payments");
        assertThat(rows.getString(3)).isEqualTo("in_progress");
        assertThat(rows.getString(4)).startsWith("20").endsWith("Z");
      }
    }
  }

  @Test
  void tablesOfOlderVersionsAreBroughtUpToDate() throws SQLException {
    DataSource source = Databases.sqlite(Databases.newFile());
    JdbcSchema schema = JdbcSchema.of(source);
    schema.apply();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DROP TABLE retrysafe_secret");
      statement.execute("UPDATE retrysafe_schema SET version = 2");
      assertThat(schema.check()).containsExactly("the table retrysafe_secret is missing");
      assertBroughtUpToDate(schema);

      statement.execute("DROP TABLE retrysafe_secret");
      statement.execute("DROP TABLE retrysafe_audit");
      statement.execute("UPDATE retrysafe_schema SET version = 1");
      assertThat(schema.check())
          .containsExactly(
              "the table retrysafe_audit is missing", "the table retrysafe_secret is missing");
      assertBroughtUpToDate(schema);
    }
  }

  private static void assertBroughtUpToDate(JdbcSchema schema) {
    assertThat(schema.apply()).isTrue();
    assertThat(schema.check()).isEmpty();
    assertThat(schema.apply()).isFalse();
  }

  @Test
  void theSchemaOfEveryDatabaseCanBePrinted() {
    for (Dialect dialect : Dialect.values()) {
      assertThat(JdbcSchema.print(dialect.product()))
          .contains("CREATE TABLE retrysafe_entry", "CREATE VIEW retrysafe_operation");
    }
  }
}
