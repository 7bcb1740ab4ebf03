// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.retrysafe.spring.RetrysafeProperties.Layered;
import io.retrysafe.spring.RetrysafeProperties.Near;
import io.retrysafe.spring.RetrysafeProperties.SchemaMode;
import io.retrysafe.spring.RetrysafeProperties.StoreKind;
import io.retrysafe.store.MemoryStore;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.Store;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.layered.LayeredStore;
import io.retrysafe.store.layered.MemoryCopies;
import io.retrysafe.store.redis.RedisCopies;
import io.retrysafe.store.redis.RedisStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The store: a bean of the application's own, or what {@code retrysafe.store} says, or what is
 * there: a DataSource, else Redis. Never memory unless it was asked for.
 */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
    })
@ConditionalOnBooleanProperty(name = "retrysafe.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RetrysafeProperties.class)
final class StoreAutoConfiguration {

  /** In the application's database. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({JdbcStore.class, DataSource.class})
  @ConditionalOnStore({StoreKind.AUTO, StoreKind.JDBC, StoreKind.LAYERED})
  @ConditionalOnSingleCandidate(DataSource.class)
  @ConditionalOnMissingBean(Store.class)
  static class InDatabase {

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
        throw new StartException(
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

  /** In Redis, on the application's own client. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({RedisStore.class, RedisClient.class})
  @ConditionalOnStore({StoreKind.AUTO, StoreKind.REDIS})
  @ConditionalOnMissingBean(Store.class)
  @Conditional(RedisIsThere.class)
  static class InRedis {

    @Bean
    RedisStore retrysafeRedisStore(
        RetrysafeProperties properties,
        ObjectProvider<RedisClient> clients,
        ObjectProvider<RedisClusterClient> clusterClients,
        ObjectProvider<SpringDataRedis> springDataRedis) {
      String url = properties.redis().url();
      RedisStore.Builder builder =
          url == null ? own(clients, clusterClients, springDataRedis) : RedisStore.builder(url);
      return builder
          .namespace(properties.redis().namespace())
          .timeout(properties.redis().timeout())
          .unsettledRetention(properties.unsettledRetention())
          .build();
    }

    private static RedisStore.Builder own(
        ObjectProvider<RedisClient> clients,
        ObjectProvider<RedisClusterClient> clusterClients,
        ObjectProvider<SpringDataRedis> springDataRedis) {
      AbstractRedisClient client = clients.getIfAvailable();
      if (client == null) {
        client = clusterClients.getIfAvailable();
      }
      SpringDataRedis factory = springDataRedis.getIfAvailable();
      if (client == null && factory != null) {
        client = factory.client();
      }
      if (client instanceof RedisClusterClient cluster) {
        return RedisStore.builder(cluster);
      }
      if (client instanceof RedisClient single) {
        return RedisStore.builder(single);
      }
      throw new StartException(
          "Retrysafe found no Lettuce client behind the application's Redis connections.",
          "Use Lettuce, or set retrysafe.redis.url.");
    }

    /** The client behind Spring Data's connections, where that is used. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LettuceConnectionFactory.class)
    static class WithSpringData {
      @Bean
      @ConditionalOnSingleCandidate(LettuceConnectionFactory.class)
      SpringDataRedis retrysafeSpringDataRedis(LettuceConnectionFactory factory) {
        return factory::getRequiredNativeClient;
      }
    }
  }

  /** Where Spring Data has the client. */
  @FunctionalInterface
  interface SpringDataRedis {
    AbstractRedisClient client();
  }

  /** Where there is any way to Redis. */
  static final class RedisIsThere extends AnyNestedCondition {
    RedisIsThere() {
      super(ConfigurationPhase.REGISTER_BEAN);
    }

    @ConditionalOnProperty("retrysafe.redis.url")
    static class Url {}

    @ConditionalOnBean(RedisClient.class)
    static class Client {}

    @ConditionalOnBean(RedisClusterClient.class)
    static class ClusterClient {}

    @ConditionalOnBean(
        type = "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory")
    static class SpringData {}
  }

  /** Near copies before the database. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(LayeredStore.class)
  @ConditionalOnStore(StoreKind.LAYERED)
  @ConditionalOnBean(JdbcStore.class)
  static class InLayers {

    @Bean
    @Primary
    LayeredStore retrysafeLayeredStore(JdbcStore record, RetrysafeProperties properties) {
      Layered layered = properties.layered();
      NearCopies copies =
          layered.near() == Near.REDIS
              ? inRedis(properties)
              : MemoryCopies.create(layered.memory().toBytes());
      LayeredStore.Builder builder =
          LayeredStore.builder(record, copies).nearTtl(layered.nearTtl());
      String secret = layered.secret();
      if (secret != null) {
        builder.secret(secret.getBytes(StandardCharsets.UTF_8));
      }
      try {
        return builder.build();
      } catch (IllegalStateException e) {
        copies.close();
        throw new StartException(
            "Near copies in Redis cannot be used: " + e.getMessage() + ".",
            "Set retrysafe.layered.secret to at least 16 random characters, the same for all"
                + " processes.",
            e);
      }
    }

    private static NearCopies inRedis(RetrysafeProperties properties) {
      String url = properties.redis().url();
      if (url == null) {
        throw new StartException(
            "retrysafe.layered.near is redis, but retrysafe.redis.url is not set.",
            "Set retrysafe.redis.url, such as redis://host:6379.");
      }
      return RedisCopies.builder(url).namespace(properties.redis().namespace()).build();
    }
  }

  /** In memory, because somebody said so. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnStore(StoreKind.MEMORY)
  @ConditionalOnMissingBean(Store.class)
  static class InMemory {
    @Bean
    MemoryStore retrysafeMemoryStore() {
      return MemoryStore.create();
    }
  }
}
