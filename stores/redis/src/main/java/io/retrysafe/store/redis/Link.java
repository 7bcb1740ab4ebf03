// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A connection to Redis, whatever shape it has: shared by all callers, commands follow each other.
 */
interface Link extends AutoCloseable {

  /** Returns what finds the right server for a key. */
  RedisClusterAsyncCommands<byte[], byte[]> commands();

  /** Returns all servers that take writes, by a name that stays. */
  SortedMap<String, RedisClusterAsyncCommands<byte[], byte[]>> nodes();

  /**
   * Returns a connection that can listen. Empty in a cluster, where every message would go to every
   * node.
   */
  Optional<StatefulRedisPubSubConnection<byte[], byte[]>> listening();

  boolean isCluster();

  @Override
  void close();
}
