// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.store;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.retrysafe.spring.internal.properties.RetrysafeProperties;
import io.retrysafe.spring.internal.startup.StartupException;
import io.retrysafe.spring.internal.store.ApplicationRedisConfiguration.ApplicationRedis;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.redis.RedisCopies;
import org.jspecify.annotations.Nullable;

/** Near copies in Redis; apart from their configuration, which must load without Redis' classes. */
final class RedisNearCopies {
  private RedisNearCopies() {}

  static NearCopies copies(RetrysafeProperties properties, @Nullable ApplicationRedis own) {
    String url = properties.redis().url();
    RedisCopies.Builder builder = url == null ? own(own) : RedisCopies.builder(url);
    return builder.namespace(properties.redis().namespace()).build();
  }

  private static RedisCopies.Builder own(@Nullable ApplicationRedis own) {
    AbstractRedisClient client = own == null ? null : own.client();
    if (client instanceof RedisClusterClient cluster) {
      return RedisCopies.builder(cluster);
    }
    if (client instanceof RedisClient single) {
      return RedisCopies.builder(single);
    }
    throw new StartupException(
        "retrysafe.layered.near is redis, but the application has no Lettuce client and"
            + " retrysafe.redis.url is not set.",
        "Set retrysafe.redis.url, such as redis://host:6379.");
  }
}
