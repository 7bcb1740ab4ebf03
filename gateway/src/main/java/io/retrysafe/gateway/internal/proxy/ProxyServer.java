// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.config.GatewayConfig;
import io.retrysafe.gateway.config.Limits;
import io.retrysafe.gateway.config.Tls;
import io.retrysafe.gateway.internal.wire.FirstBytes;
import io.retrysafe.gateway.internal.wire.ResponseWriter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The server of one event loop. All of them listen on the same port. */
final class ProxyServer extends VerticleBase {
  private final ProxyContext shared;
  private final int loops;
  private final HttpServerOptions options;
  private @Nullable EventLoopContext loop;
  private @Nullable HttpServer server;
  private @Nullable ConfigGeneration generation;

  /** Makes the server of one of {@code loops} event loops. */
  ProxyServer(ProxyContext shared, int loops) {
    this.shared = shared;
    this.loops = loops;
    this.options = options(shared.routes().config());
  }

  private static HttpServerOptions options(GatewayConfig config) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxHeaderSize(config.limits().headSize())
            .setMaxInitialLineLength(Math.min(config.limits().headSize(), 16 * 1024))
            .setHttp2ClearTextEnabled(config.isH2c())
            .setHandle100ContinueAutomatically(false)
            .setTcpNoDelay(true)
            // The gateway has no WebSockets: this saves two handlers for every request.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setAcceptBacklog(1024);
    options.getInitialSettings().setMaxHeaderListSize(config.limits().headSize());
    Tls tls = config.listen().tls();
    if (tls != null) {
      tls.on(options);
    }
    return options;
  }

  @Override
  public Future<?> start() {
    GatewayConfig config = shared.routes().config();
    loop = new EventLoopContext(vertx, context, shared.blocking());
    generation = open(shared.routes());
    vertx.setPeriodic(checkEveryMillis(config.limits()), timer -> checkDeadlines());
    HttpServer listening =
        vertx
            .createHttpServer(options)
            .connectionHandler(this::connected)
            .requestHandler(this::handle)
            .invalidRequestHandler(ResponseWriter::refuseMalformed);
    server = listening;
    // Vert.x gives all servers on port -1 the same free port.
    int port = config.listen().port() == 0 ? -1 : config.listen().port();
    return listening.listen(port, config.listen().host());
  }

  /** Returns how often deadlines are checked: often enough for the shortest of them. */
  private static long checkEveryMillis(Limits limits) {
    long shortest =
        LongStream.of(
                limits.answerTimeout().toMillis(),
                limits.bodyWindow().toMillis(),
                limits.passTimeout().toMillis(),
                limits.headTimeout().toMillis(),
                limits.connectTimeout().toMillis())
            .min()
            .orElseThrow();
    return Math.max(10, Math.min(1000, shortest / 4));
  }

  @Override
  public Future<?> stop() {
    return generation == null ? Future.succeededFuture() : generation.close();
  }

  int actualPort() {
    return server == null ? 0 : server.actualPort();
  }

  /** Shows another certificate to new connections, in all event loops of the port. */
  Future<?> renew(ServerSSLOptions certificate) {
    return server == null ? Future.succeededFuture() : server.updateSSLOptions(certificate, true);
  }

  /** Accepts no new connections or requests, and waits for running requests. */
  Future<Void> shutDown(long millis) {
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(millis, TimeUnit.MILLISECONDS);
  }

  // Configurations

  private ConfigGeneration open(RouteTable routes) {
    return ConfigGeneration.open(vertx, routes, loops, shared.running().some());
  }

  private EventLoopContext loop() {
    if (loop == null) {
      throw new IllegalStateException("the server has not started");
    }
    return loop;
  }

  /** Opens the connections for another configuration, without using it yet. */
  Future<ConfigGeneration> prepare(RouteTable routes) {
    Promise<ConfigGeneration> opened = Promise.promise();
    loop()
        .run(
            () -> {
              try {
                opened.complete(open(routes));
              } catch (Throwable e) {
                opened.fail(e);
              }
            });
    return opened.future();
  }

  /** Serves new requests under another configuration, and drains the previous one. */
  Future<Void> use(ConfigGeneration next) {
    Promise<Void> used = Promise.promise();
    EventLoopContext current = loop();
    current.run(
        () -> {
          ConfigGeneration before = generation;
          generation = next;
          if (before != null) {
            DrainingGeneration.start(before, current);
          }
          used.complete();
        });
    return used.future();
  }

  // Requests

  private void connected(HttpConnection connection) {
    FirstBytes.arrived(connection, options);
    loop().connections().add(connection);
  }

  private void handle(HttpServerRequest in) {
    EventLoopContext current = loop();
    if (generation == null || !current.connections().use(in)) {
      return;
    }
    RequestContext request = new RequestContext(shared, current, generation, in);
    request.run(() -> admit(request));
  }

  /** Routes a request if neither its client nor all clients together have too many under way. */
  private void admit(RequestContext request) {
    String exceeded = shared.requestLimits().admit(request.in(), request.config());
    RequestRouter router = new RequestRouter(request);
    if (exceeded == null) {
      router.route();
    } else {
      router.tooMany(exceeded);
    }
  }

  private void checkDeadlines() {
    long now = System.nanoTime();
    EventLoopContext current = loop();
    current.watchdog().checkAll(now);
    ConfigGeneration open = generation;
    if (open != null) {
      Watchdog.check(open::checkTimeouts, now);
    }
    Watchdog.check(
        at -> current.connections().closeIdle(at, shared.routes().config().limits().headTimeout()),
        now);
  }
}
