// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A cluster: each command goes to the server that has the key. */
record ClusterLink(StatefulRedisClusterConnection<byte[], byte[]> connection, Runnable end)
    implements Link {

  static Link open(RedisClusterClient client, Runnable end) {
    return new ClusterLink(client.connect(ByteArrayCodec.INSTANCE), end);
  }

  @Override
  public RedisClusterAsyncCommands<byte[], byte[]> commands() {
    return connection.async();
  }

  @Override
  public SortedMap<String, RedisClusterAsyncCommands<byte[], byte[]>> nodes() {
    SortedMap<String, RedisClusterAsyncCommands<byte[], byte[]>> nodes = new TreeMap<>();
    for (RedisClusterNode node : connection.getPartitions()) {
      if (node.getRole().isUpstream() && !node.getSlots().isEmpty()) {
        nodes.put(node.getNodeId(), connection.getConnection(node.getNodeId()).async());
      }
    }
    return nodes;
  }

  @Override
  public Optional<StatefulRedisPubSubConnection<byte[], byte[]>> listening() {
    return Optional.empty();
  }

  @Override
  public boolean isCluster() {
    return true;
  }

  @Override
  public void close() {
    connection.close();
    end.run();
  }
}
