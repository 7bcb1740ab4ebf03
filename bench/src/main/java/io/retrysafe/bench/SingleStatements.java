// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.retrysafe.OperationKey;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * What a careful application does by itself: a statement for the claim, one for the completion,
 * each on a connection of a pool. The table has a primary key and an index for expiry, no more.
 */
final class SingleStatements implements Way {
  private static final int BEST_POOL = 32;
  private final HikariDataSource pool;

  SingleStatements(String url, int callers) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    // More connections than this only made it slower, at any number of callers.
    config.setMaximumPoolSize(Math.min(callers, BEST_POOL));
    config.setConnectionTimeout(60_000);
    this.pool = new HikariDataSource(config);
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS single_entry (id text PRIMARY KEY, state integer NOT NULL,"
              + " answer bytea, expires_at bigint NOT NULL)");
      statement.execute("CREATE INDEX IF NOT EXISTS single_expires ON single_entry (expires_at)");
      statement.execute("DELETE FROM single_entry");
    }
  }

  @Override
  public Object call(OperationKey key) {
    String id = key.scope() + " " + key.value();
    long day = System.currentTimeMillis() + 86_400_000;
    try {
      if (claim(id, day)) {
        return complete(id, day);
      }
      return find(id);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean claim(String id, long until) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                "INSERT INTO single_entry (id, state, expires_at) VALUES (?, 0, ?)"
                    + " ON CONFLICT (id) DO NOTHING")) {
      statement.setString(1, id);
      statement.setLong(2, until);
      return statement.executeUpdate() == 1;
    }
  }

  private boolean complete(String id, long until) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(
                "UPDATE single_entry SET state = 1, answer = ?, expires_at = ?"
                    + " WHERE id = ? AND state = 0")) {
      statement.setBytes(1, OUTCOME.body().toArray());
      statement.setLong(2, until);
      statement.setString(3, id);
      return statement.executeUpdate() == 1;
    }
  }

  private byte[] find(String id) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement =
            connection.prepareStatement("SELECT answer FROM single_entry WHERE id = ?")) {
      statement.setString(1, id);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getBytes(1);
      }
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
