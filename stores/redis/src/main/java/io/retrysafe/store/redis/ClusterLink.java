// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** A cluster: each command goes to the server that has the key. */
record ClusterLink(
    StatefulRedisClusterConnection<byte[], byte[]> connection,
    Reconnection reconnection,
    Runnable end)
    implements Link {

  static Link open(RedisClusterClient client, Runnable end) {
    return new ClusterLink(client.connect(ByteArrayCodec.INSTANCE), new Reconnection(), end);
  }

  @Override
  public SortedMap<String, StatefulConnection<byte[], byte[]>> nodes() {
    SortedMap<String, StatefulConnection<byte[], byte[]>> nodes = new TreeMap<>();
    for (String id : primaries()) {
      nodes.put(id, connection.getConnection(id));
    }
    return nodes;
  }

  private List<String> primaries() {
    return connection.getPartitions().stream()
        .filter(node -> node.getRole().isUpstream() && !node.getSlots().isEmpty())
        .map(RedisClusterNode::getNodeId)
        .toList();
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
  public void reconnect() {
    if (reconnection.begins()) {
      // Without waiting: answers arrive in the threads that would open a connection.
      for (String id : primaries()) {
        CompletableFuture<Void> unused =
            connection.getConnectionAsync(id).thenAccept(Reconnection::disconnect);
      }
    }
  }

  @Override
  public void close() {
    Reconnection.close(connection);
    end.run();
  }
}
