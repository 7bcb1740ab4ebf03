// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.retrysafe.OperationKey;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.jdbc.JdbcSchema;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a careful application does by itself, on the same table: a statement for the claim, one for
 * the completion, each on a connection of a pool. The row holds what the store's holds, so that
 * only the way of calling differs.
 */
final class SingleStatements implements Way {
  private static final int BEST_POOL = 32;
  private static final String INSERT =
      "INSERT INTO retrysafe_entry (id, tenant, endpoint, key, fingerprint, token, phase, previous,"
          + " attempt, fence, created_at, lease_until, expires_at) VALUES (?, ?, ?, ?, ?, ?, 0, 0, 1,"
          + " ?, clock_timestamp(), clock_timestamp() + interval '30 seconds',"
          + " clock_timestamp() + interval '30 days') ON CONFLICT (id) DO NOTHING";
  private static final String UPDATE =
      "UPDATE retrysafe_entry SET phase = 3, status_code = 0, outcome = ?,"
          + " completed_at = clock_timestamp(), lease_until = clock_timestamp(),"
          + " expires_at = clock_timestamp() + interval '1 day' WHERE id = ? AND token = ? AND phase < 3";
  private static final String SELECT = "SELECT outcome FROM retrysafe_entry WHERE id = ?";

  private static final byte[] FINGERPRINT_BYTES = SettledRows.fingerprint();

  private final HikariDataSource pool;
  private final AtomicLong tokens = new AtomicLong();

  SingleStatements(String url, int callers) throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    // More connections than this only made it slower, at any number of callers.
    config.setMaximumPoolSize(Math.min(callers, BEST_POOL));
    config.setConnectionTimeout(60_000);
    this.pool = new HikariDataSource(config);
    JdbcSchema.of(pool).apply();
    Postgres.empty(url, "retrysafe_entry");
  }

  @Override
  public Object call(OperationKey key) {
    byte[] id = Arrays.copyOf(key.digest(), 24);
    byte[] token = ByteBuffer.allocate(16).putLong(8, tokens.incrementAndGet()).array();
    try {
      if (claim(key, id, token)) {
        return complete(id, token);
      }
      return find(id);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Only reads: what a retry costs at least. */
  Object read(OperationKey key) {
    try {
      return find(Arrays.copyOf(key.digest(), 24));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private boolean claim(OperationKey key, byte[] id, byte[] token) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(INSERT)) {
      statement.setBytes(1, id);
      statement.setString(2, key.scope().account());
      statement.setString(3, key.scope().endpoint());
      statement.setString(4, key.value());
      statement.setBytes(5, FINGERPRINT_BYTES);
      statement.setBytes(6, token);
      statement.setLong(7, System.currentTimeMillis() * 1_000);
      return statement.executeUpdate() == 1;
    }
  }

  private boolean complete(byte[] id, byte[] token) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(UPDATE)) {
      statement.setBytes(1, OutcomeFormat.write(OUTCOME));
      statement.setBytes(2, id);
      statement.setBytes(3, token);
      return statement.executeUpdate() == 1;
    }
  }

  private byte[] find(byte[] id) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(SELECT)) {
      statement.setBytes(1, id);
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
