// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.store;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.retrysafe.spring.internal.properties.RetrysafeProperties;
import io.retrysafe.spring.internal.properties.RetrysafeProperties.StoreKind;
import io.retrysafe.spring.internal.startup.StartupException;
import io.retrysafe.spring.internal.store.ApplicationRedisConfiguration.ApplicationRedis;
import io.retrysafe.store.Store;
import io.retrysafe.store.redis.RedisStore;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

/** The store in Redis, on the application's client. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisStore.class, RedisClient.class})
@ConditionalOnStore({StoreKind.AUTO, StoreKind.REDIS})
@ConditionalOnMissingBean(Store.class)
@Conditional(RedisStoreConfiguration.RedisIsThere.class)
final class RedisStoreConfiguration {

  @Bean
  RedisStore retrysafeRedisStore(
      RetrysafeProperties properties, ApplicationRedis applicationRedis) {
    String url = properties.redis().url();
    RedisStore.Builder builder = url == null ? own(applicationRedis) : RedisStore.builder(url);
    return builder
        .namespace(properties.redis().namespace())
        .timeout(properties.redis().timeout())
        .unsettledRetention(properties.unsettledRetention())
        .build();
  }

  private static RedisStore.Builder own(ApplicationRedis applicationRedis) {
    AbstractRedisClient client = applicationRedis.client();
    if (client instanceof RedisClusterClient cluster) {
      return RedisStore.builder(cluster);
    }
    if (client instanceof RedisClient single) {
      return RedisStore.builder(single);
    }
    throw new StartupException(
        "Retrysafe found no Lettuce client behind the application's Redis connections.",
        "Use Lettuce, or set retrysafe.redis.url.");
  }

  /** A condition that matches if Redis is configured in any way. */
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
}
