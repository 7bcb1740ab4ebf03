// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A connection to Redis, whatever shape it has: shared by all callers, commands follow each other.
 */
interface Link extends AutoCloseable {

  /** Returns what finds the right server for a key. */
  StatefulConnection<byte[], byte[]> connection();

  /** Returns all servers that take writes, by a name that stays. */
  SortedMap<String, StatefulConnection<byte[], byte[]>> nodes();

  /**
   * Returns a connection that can listen. Empty in a cluster, where every message would go to every
   * node.
   */
  Optional<StatefulRedisPubSubConnection<byte[], byte[]>> listening();

  boolean isCluster();

  /**
   * Closes the connections, which are then opened again, because what they answer cannot be
   * trusted: a reply did not fit its command, or the server takes no writes any more. Does nothing
   * shortly after it was called before.
   */
  void reconnect();

  /** Closes the connections for good, within a bounded time. */
  @Override
  void close();
}
