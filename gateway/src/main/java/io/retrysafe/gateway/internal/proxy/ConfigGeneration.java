// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.internal.upstream.UpstreamPool;
import io.retrysafe.gateway.internal.upstream.Upstreams;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One configuration in one event loop, with upstream connections of its own, so that no answer
 * changes threads. A reload opens another generation; the old one drains.
 *
 * @param passing connections for requests that pass; a silent upstream is disconnected
 * @param guarded connections for guarded requests; these stay open, because a late answer still
 *     counts
 * @param queries connections for lookups and authorizers, so that a slow one delays nothing else
 * @param running the operations that run under this configuration in this event loop
 */
record ConfigGeneration(
    RouteTable routes,
    NetClient sockets,
    Upstreams passing,
    Upstreams guarded,
    Upstreams queries,
    RunningOperations running) {

  static ConfigGeneration open(
      Vertx vertx, RouteTable routes, int loops, RunningOperations running) {
    NetClient sockets = vertx.createNetClient(options(routes));
    Limits limits = routes.config().limits();
    UpstreamPool.Bounds passing = bounds(limits, loops, limits.answerTimeout());
    UpstreamPool.Bounds others = bounds(limits, loops, null);
    return new ConfigGeneration(
        routes,
        sockets,
        new Upstreams(sockets, passing),
        new Upstreams(sockets, others),
        new Upstreams(sockets, others),
        running);
  }

  private static UpstreamPool.Bounds bounds(Limits limits, int loops, @Nullable Duration silence) {
    int most = Math.max(1, limits.upstreamConnections() / loops);
    return new UpstreamPool.Bounds(most, limits.connectTimeout(), limits.upstreamIdle(), silence);
  }

  private static NetClientOptions options(RouteTable routes) {
    Limits limits = routes.config().limits();
    NetClientOptions options =
        new NetClientOptions()
            .setConnectTimeout((int) limits.connectTimeout().toMillis())
            .setSslHandshakeTimeout(limits.connectTimeout().toMillis())
            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
            .setHostnameVerificationAlgorithm("HTTPS")
            .setTcpNoDelay(true);
    if (routes.roots() != null) {
      options.setTrustOptions(routes.roots());
    }
    return options;
  }

  /** Closes idle connections and ends requests that take too long. */
  void checkTimeouts(long now) {
    passing.checkTimeouts(now);
    guarded.checkTimeouts(now);
    queries.checkTimeouts(now);
  }

  /** Closes every connection when its request has ended. */
  void drain() {
    passing.drain();
    guarded.drain();
    queries.drain();
  }

  boolean isClosed() {
    return passing.isClosed() && guarded.isClosed() && queries.isClosed();
  }

  Future<Void> close() {
    return sockets.close();
  }
}
