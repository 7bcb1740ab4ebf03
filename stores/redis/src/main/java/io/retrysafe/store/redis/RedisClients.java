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
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Creates clients from addresses, with the options that the store needs. */
final class RedisClients {
  /** How many commands wait for a connection or a reply; the client rejects further ones. */
  private static final int MOST_WAITING = 100_000;

  /** The default would wait up to half a minute before it connects to a server that came back. */
  private static final Delay RECONNECT_DELAY =
      Delay.exponential(Duration.ZERO, Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS);

  private RedisClients() {}

  /** Opens a connection with a client of its own. Closing the connection closes the client. */
  static RedisConnection open(String url, Duration timeout, DisconnectedBehavior whileDown) {
    AbstractRedisClient client = client(url, timeout, whileDown);
    try {
      return RedisConnection.open(client, () -> shutdown(client));
    } catch (RuntimeException e) {
      shutdown(client);
      throw e;
    }
  }

  /** Opens a connection of the application's client, which stays open. */
  static RedisConnection open(AbstractRedisClient client) {
    return RedisConnection.open(client, () -> {});
  }

  static void shutdown(AbstractRedisClient client) {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    Future<Boolean> unused = client.getResources().shutdown(0, 2, TimeUnit.SECONDS);
  }

  static AbstractRedisClient client(String url, Duration timeout, DisconnectedBehavior whileDown) {
    ClientOptions options = options(timeout, whileDown);
    ClientResources resources =
        ClientResources.builder()
            .reconnectDelay(RECONNECT_DELAY)
            .nettyCustomizer(ConnectionGuard.with(timeout))
            .build();
    if (url.startsWith("redis-cluster:") || url.startsWith("rediss-cluster:")) {
      RedisClusterClient client = RedisClusterClient.create(resources, seeds(url, timeout));
      client.setOptions(
          ClusterClientOptions.builder(options)
              .topologyRefreshOptions(
                  ClusterTopologyRefreshOptions.builder()
                      .enablePeriodicRefresh(Duration.ofSeconds(30))
                      .build())
              .build());
      return client;
    }
    RedisClient client = RedisClient.create(resources, uri(url, timeout));
    client.setOptions(options);
    return client;
  }

  private static ClientOptions options(Duration timeout, DisconnectedBehavior whileDown) {
    return ClientOptions.builder()
        .socketOptions(
            SocketOptions.builder()
                .connectTimeout(timeout)
                .keepAlive(
                    KeepAliveOptions.builder()
                        .enable()
                        .idle(Duration.ofSeconds(5))
                        .interval(Duration.ofSeconds(2))
                        .count(3)
                        .build())
                .build())
        // Calls have their own time-outs; the client's timer would keep large answers longer.
        .timeoutOptions(TimeoutOptions.create())
        .requestQueueSize(MOST_WAITING)
        .disconnectedBehavior(whileDown)
        .build();
  }

  /** Returns the seeds of {@code redis-cluster://user:secret@host:port,host:port}. */
  static List<RedisURI> seeds(String url, Duration timeout) {
    String scheme = url.startsWith("rediss") ? "rediss://" : "redis://";
    String rest = url.substring(url.indexOf("://") + 3);
    int at = rest.lastIndexOf('@') + 1;
    return Stream.of(rest.substring(at).split(",", -1))
        .map(host -> uri(scheme + rest.substring(0, at) + host, timeout))
        .toList();
  }

  private static RedisURI uri(String url, Duration timeout) {
    RedisURI uri = RedisURI.create(url);
    uri.setTimeout(timeout);
    return uri;
  }

  /** Returns {@code timeout}, or a day if it is longer, which is what the client can count. */
  static Duration checkedTimeout(Duration timeout) {
    if (timeout.compareTo(Duration.ofMillis(1)) < 0) {
      throw new IllegalArgumentException("timeout must be at least 1 ms, was " + timeout);
    }
    Duration longest = Duration.ofDays(1);
    return timeout.compareTo(longest) < 0 ? timeout : longest;
  }

  /** Returns {@code time} in nanoseconds, or so many that adding them cannot overflow. */
  static long nanos(Duration time) {
    return Math.min(TimeUnit.NANOSECONDS.convert(time), Long.MAX_VALUE / 4);
  }
}
