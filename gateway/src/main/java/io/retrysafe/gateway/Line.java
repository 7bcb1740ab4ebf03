// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import java.util.concurrent.TimeUnit;

/**
 * What one event loop works with under one configuration: connections of its own, so that no answer
 * changes threads.
 *
 * @param passing for requests that pass: an upstream that falls silent is cut off
 * @param guarded for guarded requests: a late answer is still welcome, so nothing is cut off here
 * @param asking for questions about requests: whoever does not answer them holds up nothing else
 */
record Line(Site site, HttpClient passing, HttpClient guarded, HttpClient asking) {
  private static final int MOST_WAITING = 10_000;

  static Line open(Vertx vertx, Site site, int loops) {
    Limits limits = site.config().limits();
    PoolOptions pool =
        new PoolOptions()
            .setHttp1MaxSize(Math.max(1, limits.upstreamConnections() / loops))
            .setMaxWaitQueueSize(MOST_WAITING);
    HttpClientOptions guarded = options(site);
    HttpClientOptions passing =
        options(site)
            .setIdleTimeout((int) limits.answerTimeout().toMillis())
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS);
    return new Line(
        site,
        vertx.createHttpClient(passing, pool),
        vertx.createHttpClient(guarded, pool),
        vertx.createHttpClient(options(site), pool));
  }

  private static HttpClientOptions options(Site site) {
    Limits limits = site.config().limits();
    HttpClientOptions options =
        new HttpClientOptions()
            .setKeepAliveTimeout((int) Math.max(1, limits.upstreamIdle().toSeconds()))
            .setConnectTimeout((int) limits.connectTimeout().toMillis())
            .setMaxHeaderSize(64 * 1024)
            .setMaxInitialLineLength(16 * 1024)
            .setDecompressionSupported(false)
            .setPipelining(false)
            .setVerifyHost(true)
            .setTcpNoDelay(true);
    if (site.roots() != null) {
      options.setTrustOptions(site.roots());
    }
    return options;
  }

  /** Lets what is under way end, within bounds, and closes. */
  void retire() {
    long seconds = site.config().limits().answerTimeout().toSeconds() + 1;
    passing.shutdown(seconds, TimeUnit.SECONDS);
    guarded.shutdown(seconds, TimeUnit.SECONDS);
    asking.shutdown(seconds, TimeUnit.SECONDS);
  }

  Future<Void> close() {
    return Future.join(passing.close(), guarded.close(), asking.close()).mapEmpty();
  }
}
