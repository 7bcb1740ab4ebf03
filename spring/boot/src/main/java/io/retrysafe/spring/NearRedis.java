// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.retrysafe.spring.OwnRedisConfiguration.OwnRedis;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.redis.RedisCopies;
import org.jspecify.annotations.Nullable;

/** Near copies in Redis; apart from their configuration, which must load without Redis' classes. */
final class NearRedis {
  private NearRedis() {}

  static NearCopies copies(RetrysafeProperties properties, @Nullable OwnRedis own) {
    String url = properties.redis().url();
    RedisCopies.Builder builder = url == null ? own(own) : RedisCopies.builder(url);
    return builder.namespace(properties.redis().namespace()).build();
  }

  private static RedisCopies.Builder own(@Nullable OwnRedis own) {
    AbstractRedisClient client = own == null ? null : own.client();
    if (client instanceof RedisClusterClient cluster) {
      return RedisCopies.builder(cluster);
    }
    if (client instanceof RedisClient single) {
      return RedisCopies.builder(single);
    }
    throw new StartException(
        "retrysafe.layered.near is redis, but the application has no Lettuce client and"
            + " retrysafe.redis.url is not set.",
        "Set retrysafe.redis.url, such as redis://host:6379.");
  }
}
