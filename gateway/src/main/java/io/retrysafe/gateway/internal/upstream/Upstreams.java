// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import io.vertx.core.net.ConnectOptions;
import io.vertx.core.net.NetClient;
import java.util.HashMap;
import java.util.Map;

/**
 * The upstreams as one event loop calls them. HTTP/1.1 without a client's luxuries: no redirects,
 * nothing sent twice, no copies of headers. Sockets, names and TLS are Vert.x's, parsing is
 * Netty's.
 */
public final class Upstreams {
  private final NetClient sockets;
  private final UpstreamPool.Bounds bounds;
  private final HeadWriter writer = new HeadWriter();
  private final Map<Endpoint, UpstreamPool> pools = new HashMap<>();

  /** Where an upstream is. */
  public record Endpoint(String host, int port, boolean isTls) {}

  public Upstreams(NetClient sockets, UpstreamPool.Bounds bounds) {
    this.sockets = sockets;
    this.bounds = bounds;
  }

  /** Tells {@code listener} when there is a connection, now or later. */
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

  /** Ends what takes too long. */
  public void checkTimeouts(long now) {
    pools.values().forEach(pool -> pool.checkTimeouts(now));
  }

  /** Lets requests end, and closes every connection that has none. */
  public void drain() {
    pools.values().forEach(UpstreamPool::drain);
  }

  public boolean isClosed() {
    return pools.values().stream().allMatch(UpstreamPool::isClosed);
  }
}
