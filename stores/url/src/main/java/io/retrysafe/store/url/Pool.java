// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import javax.sql.DataSource;

/** Connections for one JDBC store, which takes what it needs and keeps it. */
final class Pool {
  /** Lanes and lone calls with their defaults, searches, the look at the tables, one to spare. */
  private static final int CONNECTIONS = 9;

  private Pool() {}

  static HikariDataSource of(DataSource source, Duration timeout) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("retrysafe");
    config.setDataSource(source);
    config.setMaximumPoolSize(CONNECTIONS);
    // None stands by: the store keeps its own, and a database with many replicas counts them.
    config.setMinimumIdle(0);
    config.setIdleTimeout(Duration.ofSeconds(30).toMillis());
    config.setConnectionTimeout(Math.max(timeout.toMillis(), 250));
    config.setValidationTimeout(Math.max(timeout.toMillis() / 2, 250));
    // The store itself tries again at the start, and says so.
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }
}
