// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.store;

import io.retrysafe.spring.internal.properties.RetrysafeProperties;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

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
@Import({
  ApplicationRedisConfiguration.class,
  JdbcStoreConfiguration.class,
  RedisStoreConfiguration.class,
  LayeredStoreConfiguration.class,
  MemoryStoreConfiguration.class
})
public final class StoreAutoConfiguration {}
