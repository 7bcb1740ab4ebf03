// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.url;

import com.zaxxer.hikari.HikariDataSource;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.memory.MemoryStore;
import io.retrysafe.store.redis.RedisStore;
import java.sql.SQLException;
import java.util.Optional;
import javax.sql.DataSource;

/** How each kind of store is opened, and what is told when that fails. */
final class Opening {
  private final OpenStore.Builder settings;
  private final StoreUrl url;

  Opening(OpenStore.Builder settings) {
    this.settings = settings;
    this.url = settings.url;
  }

  OpenStore open() {
    Secrets secrets = new Secrets(url);
    try {
      return switch (url.kind()) {
        case MEMORY -> memory();
        case SQLITE -> sqlite();
        case POSTGRESQL, MARIADB, MYSQL -> database();
        case REDIS -> redis();
      };
    } catch (NoAnswerException e) {
      throw new NoAnswerException(told(secrets, e), secrets.cause(e));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(told(secrets, e), secrets.cause(e));
    } catch (RuntimeException e) {
      throw new IllegalStateException(told(secrets, e), secrets.cause(e));
    }
  }

  private String told(Secrets secrets, RuntimeException failure) {
    return "the store " + url + " could not be opened: " + secrets.told(failure);
  }

  private OpenStore memory() {
    MemoryStore store =
        MemoryStore.builder().unsettledRetention(settings.unsettledRetention).build();
    return new OpenStore(url, store, () -> {});
  }

  private OpenStore sqlite() {
    JdbcStore store = jdbc(JdbcStore.embedded(url.path()));
    return new OpenStore(url, store, store);
  }

  private OpenStore database() {
    DataSource source = JdbcAddress.of(url).source();
    Optional<SQLException> refusal = JdbcAddress.refusal(source);
    if (refusal.isPresent()) {
      throw new IllegalStateException(refusal.get().getMessage(), refusal.get());
    }
    HikariDataSource pool = Pool.of(source, settings.timeout);
    try {
      JdbcStore store = jdbc(JdbcStore.builder(pool).applySchema(settings.appliesSchema));
      return new OpenStore(
          url,
          store,
          () -> {
            store.close();
            pool.close();
          });
    } catch (RuntimeException e) {
      pool.close();
      throw e;
    }
  }

  private JdbcStore jdbc(JdbcStore.Builder builder) {
    return builder
        .timeout(settings.timeout)
        .startWithin(settings.startWithin)
        .unsettledRetention(settings.unsettledRetention)
        .build();
  }

  private OpenStore redis() {
    RedisStore store =
        RedisStore.builder(url.secret())
            .timeout(settings.timeout)
            .startWithin(settings.startWithin)
            .unsettledRetention(settings.unsettledRetention)
            .build();
    return new OpenStore(url, store, store);
  }
}
