// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.OnFailure;
import io.retrysafe.OperationKey;
import io.retrysafe.Policy;
import io.retrysafe.Recovery;
import io.retrysafe.Retrysafe;
import io.retrysafe.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/** Money transfers in the store's database: two accounts, and a row for every transfer that ran. */
final class Ledger {
  static final Policy POLICY =
      Policy.create()
          .lease(Duration.ofMillis(300))
          .failures(OnFailure.RELEASE)
          .recovery(Recovery.rerun(1000, Duration.ofHours(1)));

  private final DataSource source;
  private final JdbcStore store;
  private final Retrysafe engine;
  private final UnaryOperator<Connection> seen;

  /** The connection of a transfer is handed to {@code seen}, which may wrap it. */
  Ledger(DataSource source, JdbcStore store, Retrysafe engine, UnaryOperator<Connection> seen) {
    this.source = source;
    this.store = store;
    this.engine = engine;
    this.seen = seen;
  }

  static void create(DataSource source) throws SQLException {
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (name text PRIMARY KEY, balance bigint NOT NULL)");
      statement.execute("INSERT INTO account VALUES ('alice', 100000), ('bob', 0)");
      // No constraint keeps doubles out: only the store does.
      statement.execute(
          "CREATE TABLE transfer (no bigint GENERATED ALWAYS AS IDENTITY, key text NOT NULL)");
    }
  }

  static OperationKey key(String name) {
    return OperationKey.of(Scope.of("alice", "transfer"), name);
  }

  /** Transfers one coin and returns the number of the transfer. */
  String transfer(String name, Runnable afterEffect) throws SQLException {
    // snippet:joined
    try (Connection connection = seen.apply(source.getConnection());
        JoinedTransaction joined = store.joining(connection)) {
      return engine.run(
          key(name),
          Fingerprint.ofText("alice", "bob", "1"),
          POLICY,
          Codec.string(),
          operation -> {
            operation.settleWith(joined::settle);
            return move(connection, name, afterEffect);
          });
    }
    // end
  }

  private static String move(Connection connection, String name, Runnable afterEffect)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("UPDATE account SET balance = balance - 1 WHERE name = 'alice'");
      statement.execute("UPDATE account SET balance = balance + 1 WHERE name = 'bob'");
    }
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO transfer (key) VALUES (?) RETURNING no")) {
      insert.setString(1, name);
      try (ResultSet rows = insert.executeQuery()) {
        rows.next();
        afterEffect.run();
        return rows.getString(1);
      }
    }
  }
}
