// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.retrysafe.spring.RetrysafeProperties.StoreKind;
import io.retrysafe.store.Store;
import io.retrysafe.store.redis.RedisStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** In Redis, on the application's own client. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisStore.class, RedisClient.class})
@ConditionalOnStore({StoreKind.AUTO, StoreKind.REDIS})
@ConditionalOnMissingBean(Store.class)
@Conditional(RedisStoreConfiguration.RedisIsThere.class)
final class RedisStoreConfiguration {

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
}
