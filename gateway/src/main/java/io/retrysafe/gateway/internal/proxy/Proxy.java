// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.OperationKey;
import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Tls;
import io.retrysafe.gateway.internal.wire.ClientCounts;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.ServerSSLOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The proxying side of a gateway: a server in each event loop, all on one port. */
public final class Proxy {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final ProxyContext context;
  private final int loops = Math.max(1, Runtime.getRuntime().availableProcessors());
  private final List<ProxyServer> servers = new ArrayList<>();

  public Proxy(ProxyContext.Resources resources, GatewayConfig config) {
    this.context = new ProxyContext(resources, config);
  }

  /** Returns the number of event loops. */
  public int loops() {
    return loops;
  }

  /** Returns the configuration in use. */
  public GatewayConfig config() {
    return context.routes().config();
  }

  /** Returns the requests that each client has under way, if they are bounded. */
  public ClientCounts clients() {
    return context.requestLimits().clients();
  }

  /** Returns how many operations run, including those whose clients have disconnected. */
  public int runningOperations() {
    return context.running().count();
  }

  /** Returns whether outcomes are not recorded any more. */
  public boolean isStopped() {
    return context.isStopped();
  }

  /** Returns the name of the upstream that an operation goes to, if the operation is a request. */
  public Optional<String> service(OperationKey key) {
    return context.routes().service(key);
  }

  public int port() {
    return servers.get(0).actualPort();
  }

  /** Listens for requests, in every event loop. */
  public void listen(Vertx vertx) {
    for (int i = 0; i < loops; i++) {
      ProxyServer server = new ProxyServer(context, loops);
      VertxFutures.await(vertx.deployVerticle(server), "cannot listen on " + config().listen());
      servers.add(server);
    }
  }

  /**
   * Serves new requests under another configuration. Everything that can fail happens before the
   * switch.
   *
   * @param beforeSwitch further work that can fail
   */
  public void reload(GatewayConfig config, Runnable beforeSwitch) {
    RouteTable next = context.table(config);
    Tls tls = config.listen().tls();
    if (tls != null) {
      ServerSSLOptions certificate = tls.renewed();
      VertxFutures.await(
          servers.get(0).renew(certificate), "cannot show the certificate of " + config.listen());
    }
    beforeSwitch.run();
    List<Future<ConfigGeneration>> opened =
        servers.stream().map(server -> server.prepare(next)).toList();
    try {
      VertxFutures.await(Future.all(opened), "cannot open connections for the new configuration");
    } catch (RuntimeException e) {
      opened.forEach(generation -> generation.onSuccess(ConfigGeneration::close));
      throw e;
    }
    context.routes(next);
    List<Future<Void>> used = new ArrayList<>();
    for (int i = 0; i < servers.size(); i++) {
      used.add(servers.get(i).use(opened.get(i).result()));
    }
    VertxFutures.await(Future.all(used), "the new configuration is not in use everywhere");
  }

  /**
   * Accepts no new requests and waits for running ones, and for operations whose clients have
   * disconnected. After that no outcome is recorded any more.
   */
  public void stop(Duration within) {
    long start = System.nanoTime();
    List<Future<?>> stopped = new ArrayList<>();
    servers.forEach(server -> stopped.add(server.shutDown(within.toMillis())));
    Duration most = within.plus(VertxFutures.SOON);
    if (!VertxFutures.isDone(Future.join(List.copyOf(stopped)), most)) {
      LOG.log(System.Logger.Level.WARNING, "some requests were still running after {0}", within);
    }
    // After the connections: no request begins an operation any more.
    RunningOperations running = context.running();
    if (!running.awaitNone(within.minusNanos(System.nanoTime() - start))) {
      LOG.log(
          System.Logger.Level.WARNING,
          "{0} operations were still running after {1}; they stay claimed until their leases end",
          running.count(),
          within);
    }
    context.stopped();
  }
}
