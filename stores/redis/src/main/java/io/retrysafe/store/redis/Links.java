// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SocketOptions.KeepAliveOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Makes clients and connections from addresses, and connections from an application's client. */
final class Links {
  private static final String CLUSTER = "redis-cluster://";
  private static final String SECURE_CLUSTER = "rediss-cluster://";

  /** Commands wait here for the first or next connection; more than this many are refused. */
  private static final int MOST_WAITING = 100_000;

  /** A server that comes back after a long time is not waited for half as long again. */
  private static final Delay RECONNECT =
      Delay.exponential(Duration.ZERO, Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS);

  /** Calls have time-outs of their own; a timer of the client would keep large answers longer. */
  private static final TimeoutOptions OWN_TIMEOUTS = TimeoutOptions.create();

  private Links() {}

  /** Opens a connection with a client of its own, which ends with it. */
  static Link open(String url, Duration timeout, DisconnectedBehavior whileCut) {
    AbstractRedisClient client = client(url, timeout, whileCut);
    try {
      return open(client, () -> shutdown(client));
    } catch (RuntimeException e) {
      shutdown(client);
      throw e;
    }
  }

  static void shutdown(AbstractRedisClient client) {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    Future<Boolean> unused = client.getResources().shutdown(0, 2, TimeUnit.SECONDS);
  }

  /** Opens a connection of the application's client, which stays the application's. */
  static Link open(AbstractRedisClient client) {
    return open(client, () -> {});
  }

  private static Link open(AbstractRedisClient client, Runnable end) {
    if (client instanceof RedisClusterClient cluster) {
      return ClusterLink.open(cluster, end);
    }
    if (client instanceof RedisClient single) {
      return SingleLink.open(single, end);
    }
    throw new IllegalArgumentException(
        "a RedisClient or a RedisClusterClient is needed, was " + client.getClass().getName());
  }

  static AbstractRedisClient client(String url, Duration timeout, DisconnectedBehavior whileCut) {
    SocketOptions sockets =
        SocketOptions.builder()
            .connectTimeout(timeout)
            .keepAlive(
                KeepAliveOptions.builder()
                    .enable()
                    .idle(Duration.ofSeconds(5))
                    .interval(Duration.ofSeconds(2))
                    .count(3)
                    .build())
            .build();
    ClientResources resources =
        ClientResources.builder()
            .reconnectDelay(RECONNECT)
            .nettyCustomizer(new ConnectionLoss())
            .build();
    if (isCluster(url)) {
      RedisClusterClient client = RedisClusterClient.create(resources, cluster(url, timeout));
      client.setOptions(
          ClusterClientOptions.builder()
              .socketOptions(sockets)
              .timeoutOptions(OWN_TIMEOUTS)
              .requestQueueSize(MOST_WAITING)
              .disconnectedBehavior(whileCut)
              .topologyRefreshOptions(
                  ClusterTopologyRefreshOptions.builder()
                      .enablePeriodicRefresh(Duration.ofSeconds(30))
                      .build())
              .build());
      return client;
    }
    RedisURI uri = RedisURI.create(url);
    uri.setTimeout(timeout);
    RedisClient client = RedisClient.create(resources, uri);
    client.setOptions(
        ClientOptions.builder()
            .socketOptions(sockets)
            .timeoutOptions(OWN_TIMEOUTS)
            .requestQueueSize(MOST_WAITING)
            .disconnectedBehavior(whileCut)
            .build());
    return client;
  }

  static boolean isCluster(String url) {
    return url.startsWith(CLUSTER) || url.startsWith(SECURE_CLUSTER);
  }

  /** Returns the seeds of {@code redis-cluster://user:secret@host:port,host:port}. */
  static List<RedisURI> cluster(String url, Duration timeout) {
    boolean isSecure = url.startsWith(SECURE_CLUSTER);
    String rest = url.substring(url.indexOf("://") + 3);
    int at = rest.lastIndexOf('@');
    String credentials = rest.substring(0, at + 1);
    List<RedisURI> seeds = new ArrayList<>();
    for (String host : rest.substring(at + 1).split(",", -1)) {
      RedisURI seed = RedisURI.create((isSecure ? "rediss://" : "redis://") + credentials + host);
      seed.setTimeout(timeout);
      seeds.add(seed);
    }
    return seeds;
  }
}
