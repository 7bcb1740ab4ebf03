// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.retrysafe.OperationKey;
import java.sql.SQLException;
import java.util.Objects;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;

/**
 * Libraries that remember keys in a database. Neither has a lease or an owner's token, so a crashed
 * first call blocks its key for good and nobody is fenced off.
 */
final class Peers {
  private static final int POOL = 32;

  private Peers() {}

  /** Spring Integration's metadata store: a claim, then the answer as a string. */
  static Way springIntegration(String url) throws SQLException {
    Postgres.execute(
        url,
        "CREATE TABLE IF NOT EXISTS int_metadata_store (metadata_key varchar(255) NOT NULL,"
            + " metadata_value varchar(4000), region varchar(100) NOT NULL,"
            + " PRIMARY KEY (metadata_key, region))");
    Postgres.empty(url, "int_metadata_store");
    HikariDataSource pool = pool(url);
    JdbcMetadataStore store = new JdbcMetadataStore(pool);
    store.afterPropertiesSet();
    return new Way() {
      @Override
      public Object call(OperationKey key) {
        String name = name(key);
        String before = store.putIfAbsent(name, "pending");
        return before == null ? store.replace(name, "pending", ANSWER) : before;
      }

      @Override
      public void close() {
        pool.close();
      }
    };
  }

  /** Camel's repository of message ids: a claim only, there is no answer to give. */
  static Way camel(String url) throws SQLException {
    HikariDataSource pool = pool(url);
    JdbcMessageIdRepository repository = new JdbcMessageIdRepository(pool, "bench");
    repository.start();
    Postgres.empty(url, "camel_messageprocessed");
    return new Way() {
      @Override
      public Object call(OperationKey key) {
        return repository.add(name(key));
      }

      @Override
      public void close() {
        repository.stop();
        pool.close();
      }
    };
  }

  private static String name(OperationKey key) {
    return Objects.hash(key.scope()) + " " + key.value();
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(POOL);
    config.setConnectionTimeout(60_000);
    return new HikariDataSource(config);
  }
}
