// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.upstream.UpstreamPool;
import io.retrysafe.gateway.upstream.Upstreams;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one event loop works with under one configuration: connections of its own, so that no answer
 * changes threads.
 *
 * @param passing for requests that pass: an upstream that falls silent is cut off
 * @param guarded for guarded requests: a late answer is still welcome, so nothing is cut off here
 * @param asking for questions about requests: whoever does not answer them holds up nothing else
 * @param running the operations that run under this configuration in this event loop
 */
record ConfigGeneration(
    RouteTable site,
    NetClient sockets,
    Upstreams passing,
    Upstreams guarded,
    Upstreams asking,
    RunningOperations running) {

  static ConfigGeneration open(Vertx vertx, RouteTable site, int loops, RunningOperations running) {
    NetClient sockets = vertx.createNetClient(options(site));
    Limits limits = site.config().limits();
    UpstreamPool.Bounds passing = bounds(limits, loops, limits.answerTimeout());
    UpstreamPool.Bounds others = bounds(limits, loops, null);
    return new ConfigGeneration(
        site,
        sockets,
        new Upstreams(sockets, passing),
        new Upstreams(sockets, others),
        new Upstreams(sockets, others),
        running.some());
  }

  private static UpstreamPool.Bounds bounds(Limits limits, int loops, @Nullable Duration silence) {
    int most = Math.max(1, limits.upstreamConnections() / loops);
    return new UpstreamPool.Bounds(most, limits.connectTimeout(), limits.upstreamIdle(), silence);
  }

  private static NetClientOptions options(RouteTable site) {
    Limits limits = site.config().limits();
    NetClientOptions options =
        new NetClientOptions()
            .setConnectTimeout((int) limits.connectTimeout().toMillis())
            .setSslHandshakeTimeout(limits.connectTimeout().toMillis())
            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
            .setHostnameVerificationAlgorithm("HTTPS")
            .setTcpNoDelay(true);
    if (site.roots() != null) {
      options.setTrustOptions(site.roots());
    }
    return options;
  }

  /** Ends what takes too long. */
  void look(long now) {
    passing.look(now);
    guarded.look(now);
    asking.look(now);
  }

  /** Lets what is under way end, and closes every connection that has nothing to do. */
  void retire() {
    passing.retire();
    guarded.retire();
    asking.retire();
  }

  boolean isClosed() {
    return passing.isClosed() && guarded.isClosed() && asking.isClosed();
  }

  Future<Void> close() {
    return sockets.close();
  }
}
