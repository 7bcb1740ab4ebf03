// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.testkit.ContractStore;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.redis.RedisStore;
import io.retrysafe.testing.servers.PostgresServer;
import io.retrysafe.testing.servers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.sqlite.SQLiteDataSource;

/** Real stores that two gateways share, each with connections of its own. */
final class SharedStores implements ContractStore {
  private static final List<String> TIMES =
      List.of("created_at", "completed_at", "lease_until", "expires_at");
  private static final String SHIFT =
      """
      local by = tonumber(ARGV[1])
      local function digits(number) return string.format('%.0f', number) end
      for _, key in ipairs(redis.call('KEYS', '*')) do
        if redis.call('TYPE', key).ok == 'zset' then
          for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
            redis.call('ZINCRBY', key, digits(-by), member)
          end
        else
          local entry = redis.call('HGET', key, 'entry')
          local head, created, lease, over = struct.unpack('>c30ddd', entry)
          redis.call('HSET', key, 'entry',
            struct.pack('>c30ddd', head, created - by, lease - by, over - by) .. string.sub(entry, 55))
          redis.call('PEXPIREAT', key, digits(math.ceil((over - by) / 1000)))
        end
      end
      """;

  private final Supplier<Store> opening;
  private final Shift shift;
  private final AutoCloseable server;
  private final List<AutoCloseable> opened = new ArrayList<>();

  private interface Shift {
    void by(long micros);
  }

  private SharedStores(Supplier<Store> opening, Shift shift, AutoCloseable server) {
    this.opening = opening;
    this.shift = shift;
    this.server = server;
  }

  static SharedStores postgres() {
    PostgresServer server = PostgresServer.start();
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.url());
    return new SharedStores(
        () -> jdbc(source),
        micros -> shift(source, "%1$s = %1$s - " + micros + " * interval '1 microsecond'"),
        server);
  }

  static SharedStores redis() {
    RedisServer server = RedisServer.start();
    return new SharedStores(
        () -> RedisStore.create(server.url()),
        micros -> server.tell("EVAL", SHIFT, "0", Long.toString(micros)),
        server);
  }

  /** A file belongs to one process: both gateways use one store. */
  static SharedStores sqlite() {
    SQLiteDataSource source = new SQLiteDataSource();
    try {
      source.setUrl("jdbc:sqlite:" + Files.createTempDirectory("sqlite").resolve("store.db"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Store one = jdbc(source);
    return new SharedStores(
        () -> one, micros -> shift(source, "%1$s = %1$s - " + micros), () -> {});
  }

  private static Store jdbc(DataSource source) {
    return JdbcStore.builder(source).timeout(Duration.ofSeconds(5)).applySchema(true).build();
  }

  private static void shift(DataSource source, String earlier) {
    List<String> changes = TIMES.stream().map(earlier::formatted).toList();
    try (Connection connection = source.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE retrysafe_entry SET " + String.join(", ", changes));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Store open() {
    Store store = opening.get();
    if (store instanceof AutoCloseable closeable && !opened.contains(closeable)) {
      opened.add(closeable);
    }
    return store;
  }

  @Override
  public void advance(Duration time) {
    shift.by(time.toNanos() / 1000);
  }

  @Override
  public void close() {
    try {
      for (AutoCloseable each : opened) {
        each.close();
      }
      server.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
