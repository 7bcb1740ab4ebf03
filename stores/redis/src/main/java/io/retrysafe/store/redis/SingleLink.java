// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One server, or the primary that Sentinel names. */
record SingleLink(
    StatefulRedisConnection<byte[], byte[]> connection,
    StatefulRedisPubSubConnection<byte[], byte[]> listener,
    Reconnection reconnection,
    Runnable end)
    implements Link {

  static Link open(RedisClient client, Runnable end) {
    return new SingleLink(
        client.connect(ByteArrayCodec.INSTANCE),
        client.connectPubSub(ByteArrayCodec.INSTANCE),
        new Reconnection(),
        end);
  }

  @Override
  public SortedMap<String, StatefulConnection<byte[], byte[]>> nodes() {
    SortedMap<String, StatefulConnection<byte[], byte[]>> one = new TreeMap<>();
    one.put("-", connection);
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
  public void reconnect() {
    if (reconnection.begins()) {
      Reconnection.disconnect(connection);
      Reconnection.disconnect(listener);
    }
  }

  @Override
  public void close() {
    Reconnection.close(listener, connection);
    end.run();
  }
}
