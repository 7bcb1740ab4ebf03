// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import java.util.HashMap;
import java.util.Map;

/**
 * The connection pools of one event loop, one for each upstream. The client is plain HTTP/1.1: it
 * follows no redirects, sends nothing twice and does not copy headers. Vert.x provides sockets,
 * name resolution and TLS; Netty parses.
 */
public final class Upstreams {
  private final NetClient sockets;
  private final UpstreamPool.Bounds bounds;
  private final HeadWriter writer = new HeadWriter();
  private final Map<Endpoint, UpstreamPool> pools = new HashMap<>();

  /** The address of an upstream. */
  public record Endpoint(String host, int port, boolean isTls) {}

  public Upstreams(NetClient sockets, UpstreamPool.Bounds bounds) {
    this.sockets = sockets;
    this.bounds = bounds;
  }

  /** Gets a connection for {@code listener}, now or later. */
  public void call(Endpoint endpoint, UpstreamCall.Listener listener) {
    UpstreamPool pool = pools.get(endpoint);
    if (pool == null) {
      pool = pool(endpoint);
      pools.put(endpoint, pool);
    }
    pool.call(listener);
  }

  private UpstreamPool pool(Endpoint endpoint) {
    ConnectOptions place =
        new ConnectOptions()
            .setHost(endpoint.host)
            .setPort(endpoint.port)
            .setSsl(endpoint.isTls)
            .setTimeout((int) bounds.connect().toMillis());
    return new UpstreamPool(sockets, place, writer, bounds);
  }

  /** Closes idle connections and ends requests that take too long. */
  public void checkTimeouts(long now) {
    pools.values().forEach(pool -> pool.checkTimeouts(now));
  }

  /** Closes every connection when its request has ended. */
  public void drain() {
    pools.values().forEach(UpstreamPool::drain);
  }

  public boolean isClosed() {
    return pools.values().stream().allMatch(UpstreamPool::isClosed);
  }
}
