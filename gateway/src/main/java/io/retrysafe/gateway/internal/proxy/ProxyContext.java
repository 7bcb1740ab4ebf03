// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.Retrysafe;
import io.retrysafe.gateway.account.SharedSecret;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.internal.metrics.Metrics;
import io.retrysafe.gateway.internal.wire.RequestLimits;
import java.time.Duration;
import java.util.concurrent.Executor;

/** What all event loops of a gateway share. Any thread may use it. */
public final class ProxyContext {
  private final Resources resources;
  private final RunningOperations running = RunningOperations.create();
  private final RequestLimits requestLimits;
  private volatile RouteTable routes;
  private volatile boolean isStopped;

  /**
   * What a proxy works with.
   *
   * @param longestPause how long a pause in an answer without a length may be; after a longer one
   *     the gateway streams the answer
   */
  public record Resources(
      Retrysafe engine,
      BlockingCalls calls,
      Metrics metrics,
      SharedSecret secret,
      Duration longestPause) {}

  ProxyContext(Resources resources, GatewayConfig config) {
    this.resources = resources;
    this.requestLimits = new RequestLimits(resources.metrics.open());
    this.routes = table(config);
  }

  /** Returns the route table of a configuration, without using it yet. */
  RouteTable table(GatewayConfig config) {
    return new RouteTable(config, resources.engine, resources.metrics);
  }

  /** Returns the route table of the configuration in use. */
  RouteTable routes() {
    return routes;
  }

  void routes(RouteTable next) {
    routes = next;
  }

  /** Returns the executor of calls that may block. */
  Executor blocking() {
    return resources.calls.blocking();
  }

  Metrics metrics() {
    return resources.metrics;
  }

  SharedSecret secret() {
    return resources.secret;
  }

  Duration longestPause() {
    return resources.longestPause;
  }

  RunningOperations running() {
    return running;
  }

  RequestLimits requestLimits() {
    return requestLimits;
  }

  /**
   * Returns whether it is too late to record outcomes: the gateway closes the connections to
   * upstreams, and operations that still run stay leased.
   */
  boolean isStopped() {
    return isStopped;
  }

  void stopped() {
    isStopped = true;
  }
}
