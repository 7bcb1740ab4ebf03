// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.testkit.PromiseTable;
import io.retrysafe.store.testkit.StoreFixture;
import io.retrysafe.testing.servers.PostgresServer;
import io.retrysafe.testing.servers.RedisServer;
import io.retrysafe.testing.servers.RedisServer.Aof;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** A PostgreSQL record with copies in Redis. */
final class PostgresRecordFixture implements StoreFixture {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final PostgresServer postgres = PostgresServer.start();
  private final RedisServer redis = RedisServer.start(Aof.OFF);
  private final ManualClock clock = new ManualClock();
  private final PGSimpleDataSource source = new PGSimpleDataSource();
  private final JdbcStore record;
  private final JdbcStore secondRecord;
  private final LayeredStore store;
  private final LayeredStore second;

  PostgresRecordFixture() {
    source.setUrl(postgres.url());
    record = JdbcStore.builder(source).timeout(TIMEOUT).applySchema(true).build();
    secondRecord = JdbcStore.builder(source).timeout(TIMEOUT).build();
    store = Nears.redis(record, redis, clock);
    second = Nears.redis(secondRecord, redis, clock);
    PromiseTable.declare(store.profile());
  }

  @Override
  public Store store() {
    return store;
  }

  @Override
  public Store secondClient() {
    return second;
  }

  /** Copies age by the clock, the record's rows are moved into the past. */
  @Override
  public void advance(Duration time) {
    clock.advance(time);
    String past = "%1$s = %1$s - interval '" + time.toNanos() / 1000 + " microseconds'";
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "UPDATE retrysafe_entry SET "
              + String.join(
                  ", ",
                  past.formatted("created_at"),
                  past.formatted("completed_at"),
                  past.formatted("lease_until"),
                  past.formatted("expires_at")));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    store.close();
    second.close();
    record.close();
    secondRecord.close();
    redis.close();
    postgres.close();
  }
}
