// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.CommandListenerWriter;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The connection that all callers share: to one server, to the primary that Sentinel names, or to a
 * cluster.
 */
final class RedisConnection implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long RECONNECT_PAUSE = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long CLOSE_SECONDS = 2;

  private final StatefulConnection<byte[], byte[]> commands;
  private final Optional<StatefulRedisPubSubConnection<byte[], byte[]>> listener;
  private final Runnable afterClose;
  private final AtomicLong lastReconnect = new AtomicLong(System.nanoTime() - RECONNECT_PAUSE);

  private RedisConnection(
      StatefulConnection<byte[], byte[]> commands,
      Optional<StatefulRedisPubSubConnection<byte[], byte[]>> listener,
      Runnable afterClose) {
    this.commands = commands;
    this.listener = listener;
    this.afterClose = afterClose;
  }

  static RedisConnection open(AbstractRedisClient client, Runnable afterClose) {
    if (client instanceof RedisClusterClient cluster) {
      return new RedisConnection(
          cluster.connect(ByteArrayCodec.INSTANCE), Optional.empty(), afterClose);
    }
    if (client instanceof RedisClient single) {
      return new RedisConnection(
          single.connect(ByteArrayCodec.INSTANCE),
          Optional.of(single.connectPubSub(ByteArrayCodec.INSTANCE)),
          afterClose);
    }
    throw new IllegalArgumentException(
        "client must be a RedisClient or a RedisClusterClient, was " + client.getClass().getName());
  }

  /** Returns the connection for commands; in a cluster it finds the server of each key. */
  StatefulConnection<byte[], byte[]> commands() {
    return commands;
  }

  /**
   * Returns the connection for subscriptions. It is empty in a cluster, where each message would go
   * to all servers.
   */
  Optional<StatefulRedisPubSubConnection<byte[], byte[]>> listener() {
    return listener;
  }

  boolean isCluster() {
    return commands instanceof StatefulRedisClusterConnection;
  }

  /** Returns connections to all servers that take writes, by a stable name. */
  SortedMap<String, StatefulConnection<byte[], byte[]>> nodes() {
    SortedMap<String, StatefulConnection<byte[], byte[]>> nodes = new TreeMap<>();
    if (commands instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
      primaries(cluster).forEach(id -> nodes.put(id, cluster.getConnection(id)));
    } else {
      nodes.put("-", commands);
    }
    return nodes;
  }

  private static List<String> primaries(StatefulRedisClusterConnection<byte[], byte[]> cluster) {
    return cluster.getPartitions().stream()
        .filter(node -> node.getRole().isUpstream() && !node.getSlots().isEmpty())
        .map(RedisClusterNode::getNodeId)
        .toList();
  }

  /**
   * Closes the channels, because a reply did not match its command or the server is a replica now.
   * The client then opens new ones. Does nothing within 100 ms of the last time.
   */
  void reconnect() {
    long now = System.nanoTime();
    long last = lastReconnect.get();
    if (now - last < RECONNECT_PAUSE || !lastReconnect.compareAndSet(last, now)) {
      return;
    }
    if (commands instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
      // Asynchronously: this thread may be the one that would open a connection.
      for (String id : primaries(cluster)) {
        CompletableFuture<Void> unused =
            cluster.getConnectionAsync(id).thenAccept(RedisConnection::disconnect);
      }
    } else {
      disconnect(commands);
      listener.ifPresent(RedisConnection::disconnect);
    }
  }

  private static void disconnect(StatefulConnection<?, ?> connection) {
    if (connection instanceof RedisChannelHandler<?, ?> handler
        && endpoint(handler.getChannelWriter()) instanceof DefaultEndpoint endpoint) {
      endpoint.disconnect();
    } else {
      LOG.log(
          Level.WARNING,
          "The store cannot reconnect a Redis connection of type {0}",
          connection.getClass().getName());
    }
  }

  private static RedisChannelWriter endpoint(RedisChannelWriter writer) {
    if (writer instanceof CommandExpiryWriter expiry) {
      return endpoint(expiry.getDelegate());
    }
    return writer instanceof CommandListenerWriter listening
        ? endpoint(listening.getDelegate())
        : writer;
  }

  /** Closes the connections within a bounded time, and the client if it belongs to the store. */
  @Override
  public void close() {
    CompletableFuture<?>[] closing =
        Stream.concat(Stream.of(commands), listener.stream())
            .map(StatefulConnection::closeAsync)
            .toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(closing).get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.log(Level.WARNING, "Closing a connection to Redis failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    afterClose.run();
  }
}
