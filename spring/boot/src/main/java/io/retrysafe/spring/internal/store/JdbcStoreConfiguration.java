// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.store;

import io.retrysafe.spring.internal.properties.RetrysafeProperties;
import io.retrysafe.spring.internal.properties.RetrysafeProperties.SchemaMode;
import io.retrysafe.spring.internal.properties.RetrysafeProperties.StoreKind;
import io.retrysafe.spring.internal.startup.StartupException;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The store in the application's database. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({JdbcStore.class, DataSource.class})
@ConditionalOnStore({StoreKind.AUTO, StoreKind.JDBC, StoreKind.LAYERED})
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnMissingBean(Store.class)
final class JdbcStoreConfiguration {

  /** After Flyway and the like, which may bring the tables. */
  @Bean
  @DependsOnDatabaseInitialization
  JdbcStore retrysafeJdbcStore(DataSource source, RetrysafeProperties properties) {
    RetrysafeProperties.Jdbc jdbc = properties.jdbc();
    boolean appliesSchema =
        jdbc.initializeSchema() == SchemaMode.ALWAYS
            || (jdbc.initializeSchema() == SchemaMode.EMBEDDED && isSqlite(source));
    try {
      return JdbcStore.builder(source)
          .applySchema(appliesSchema)
          .lanes(jdbc.lanes())
          .connections(jdbc.connections())
          .timeout(jdbc.timeout())
          .unsettledRetention(properties.unsettledRetention())
          .build();
    } catch (IllegalStateException e) {
      throw new StartupException(
          "Retrysafe cannot use the database: " + e.getMessage(),
          "If its tables are missing: set retrysafe.jdbc.initialize-schema=always, or let your"
              + " migrations make them from io/retrysafe/store/jdbc/ddl in the jar of"
              + " retrysafe-store-jdbc.",
          e);
    }
  }

  private static boolean isSqlite(DataSource source) {
    try (Connection connection = source.getConnection()) {
      String product = connection.getMetaData().getDatabaseProductName();
      return product.toLowerCase(Locale.ROOT).contains("sqlite");
    } catch (SQLException e) {
      // The store tries for longer, and says what is wrong.
      return false;
    }
  }
}
