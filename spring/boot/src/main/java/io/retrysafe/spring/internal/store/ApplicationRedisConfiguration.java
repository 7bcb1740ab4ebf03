// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.store;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The Redis client of the application, for the store and for near copies. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(RedisClient.class)
final class ApplicationRedisConfiguration {

  @Bean
  ApplicationRedis retrysafeApplicationRedis(
      ObjectProvider<RedisClient> clients,
      ObjectProvider<RedisClusterClient> clusterClients,
      ObjectProvider<SpringDataRedis> springDataRedis) {
    return () -> {
      AbstractRedisClient client = clients.getIfAvailable();
      if (client == null) {
        client = clusterClients.getIfAvailable();
      }
      SpringDataRedis factory = springDataRedis.getIfAvailable();
      return client == null && factory != null ? factory.client() : client;
    };
  }

  /** The application's client, if it has one. */
  @FunctionalInterface
  interface ApplicationRedis {
    @Nullable AbstractRedisClient client();
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

  /** The client of Spring Data. */
  @FunctionalInterface
  interface SpringDataRedis {
    AbstractRedisClient client();
  }
}
