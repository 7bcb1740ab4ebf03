// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One server, or the primary that Sentinel names. */
record SingleLink(
    StatefulRedisConnection<byte[], byte[]> connection,
    StatefulRedisPubSubConnection<byte[], byte[]> listener,
    Runnable end)
    implements Link {

  static Link open(RedisClient client, Runnable end) {
    return new SingleLink(
        client.connect(ByteArrayCodec.INSTANCE),
        client.connectPubSub(ByteArrayCodec.INSTANCE),
        end);
  }

  @Override
  public RedisClusterAsyncCommands<byte[], byte[]> commands() {
    return connection.async();
  }

  @Override
  public SortedMap<String, RedisClusterAsyncCommands<byte[], byte[]>> nodes() {
    SortedMap<String, RedisClusterAsyncCommands<byte[], byte[]>> one = new TreeMap<>();
    one.put("-", connection.async());
    return one;
  }

  @Override
  public Optional<StatefulRedisPubSubConnection<byte[], byte[]>> listening() {
    return Optional.of(listener);
  }

  @Override
  public boolean isCluster() {
    return false;
  }

  @Override
  public void close() {
    listener.close();
    connection.close();
    end.run();
  }
}
