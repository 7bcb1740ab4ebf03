// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.EventLoop;
import io.retrysafe.http.Answer;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.file.FileSystem;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.ServerSSLOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One event loop of the gateway: a server on the common port, and connections of its own. */
final class Loop extends VerticleBase {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final Gateway gateway;
  private final HttpServerOptions options;
  private final int port;
  private final Connections connections = new Connections();
  private final Set<Timed> timed = new LinkedHashSet<>();
  private final EventLoop caller;
  private @Nullable HttpServer server;
  private @Nullable Line line;

  /** Something that must get on. Looked at now and then, in its event loop. */
  interface Timed {
    /** Gives up if it is too late; {@code now} is {@link System#nanoTime}. */
    void look(long now);
  }

  Loop(Gateway gateway, HttpServerOptions options, int port) {
    this.gateway = gateway;
    this.options = options;
    this.port = port;
    this.caller = new EventLoop(this::onLoop, gateway.calls().blocking());
  }

  @Override
  public Future<?> start() {
    line = open(gateway.site());
    long period = gateway.lookEvery().toMillis();
    vertx.setPeriodic(period, timer -> look());
    HttpServer listening =
        vertx
            .createHttpServer(options)
            .connectionHandler(this::connected)
            .requestHandler(this::handle)
            .invalidRequestHandler(Front::invalid);
    server = listening;
    return listening.listen(port, gateway.site().config().listen().host());
  }

  @Override
  public Future<?> stop() {
    return line == null ? Future.succeededFuture() : line.close();
  }

  private Line open(Site site) {
    return Line.open(vertx, site, gateway.loops(), gateway.running());
  }

  /** Opens what this loop needs for another configuration, without using it yet. */
  Future<Line> prepare(Site site) {
    Promise<Line> opened = Promise.promise();
    onLoop(
        () -> {
          try {
            opened.complete(open(site));
          } catch (Throwable e) {
            opened.fail(e);
          }
        });
    return opened.future();
  }

  /** Goes on with another configuration. */
  Future<Void> use(Line next) {
    Promise<Void> used = Promise.promise();
    onLoop(
        () -> {
          Line before = line;
          line = next;
          if (before != null) {
            timed.add(new Retiring(this, before, connections.open()));
          }
          used.complete();
        });
    return used.future();
  }

  Context context() {
    return context;
  }

  Gateway gateway() {
    return gateway;
  }

  Vertx vertx() {
    return vertx;
  }

  FileSystem files() {
    return vertx.fileSystem();
  }

  /** Returns this loop as the engine knows it: never held. */
  EventLoop asCaller() {
    return caller;
  }

  /** Runs {@code work} in this loop: now where this is its thread, else soon. */
  void onLoop(Runnable work) {
    if (((ContextInternal) context).inThread()) {
      work.run();
    } else {
      context.runOnContext(now -> work.run());
    }
  }

  /** Runs a part of a request's work in this loop, soon or now; an error ends the request only. */
  void onLoop(HttpServerRequest in, Runnable work) {
    onLoop(
        () -> {
          try {
            work.run();
          } catch (Throwable e) {
            failed(in, e);
          }
        });
  }

  /** Answers a request that the gateway itself failed to serve. */
  private void failed(HttpServerRequest in, Throwable failure) {
    LOG.log(System.Logger.Level.ERROR, "a request failed", failure);
    try {
      Front.failed(this, in);
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "a request could not be ended", e);
    }
  }

  int actualPort() {
    return server == null ? 0 : server.actualPort();
  }

  /** Shows another certificate to new connections, here and in the other loops of the port. */
  Future<?> renew(ServerSSLOptions certificate) {
    return server == null ? Future.succeededFuture() : server.updateSSLOptions(certificate, true);
  }

  /** Takes no new connections or requests, and lets running ones end. */
  Future<Void> shutDown(long millis) {
    return server == null
        ? Future.succeededFuture()
        : server.shutdown(millis, TimeUnit.MILLISECONDS);
  }

  private void connected(HttpConnection connection) {
    FirstBytes.arrived(connection, options);
    connections.add(connection);
  }

  private void handle(HttpServerRequest in) {
    if (line == null || !connections.use(in)) {
      return;
    }
    Front front = new Front(this, line, in);
    GatewayConfig config = line.site().config();
    onLoop(in, () -> admit(front, in, config));
  }

  /** Lets a request in if neither its client nor all clients have too many under way. */
  private void admit(Front front, HttpServerRequest in, GatewayConfig config) {
    Limits limits = config.limits();
    AtomicInteger open = gateway.metrics().open();
    boolean isRoom = open.incrementAndGet() <= limits.requests();
    int most = limits.requestsPerClient();
    String client = most > 0 ? Clients.of(config.trustedProxies().client(in)) : null;
    boolean isOneTooMany = client != null && !gateway.clients().take(client, most);
    String taken = isOneTooMany ? null : client;
    AtomicBoolean isOpen = new AtomicBoolean(true);
    in.response()
        .endHandler(
            end -> {
              if (isOpen.compareAndSet(true, false)) {
                open.decrementAndGet();
                if (taken != null) {
                  gateway.clients().giveBack(taken);
                }
              }
            });
    if (isRoom && !isOneTooMany) {
      front.handle();
    } else {
      front.tooMany(isRoom ? "of this client" : "at this gateway");
    }
  }

  /**
   * Sends a whole answer. If its client leaves too many answers unread, the request is cut off
   * instead: sent again with its key, it gets the answer.
   */
  void send(HttpServerRequest in, Answer answer) {
    int bytes = answer.body().size();
    if (connections.isRoom(in, bytes)) {
      connections.leaving(in, bytes, Sending.sent(in, answer));
    } else {
      Sending.refuse(in);
    }
  }

  /** Sends an answer after which nothing more is read from the connection. */
  void sendLast(HttpServerRequest in, Answer answer) {
    if (in.version() != HttpVersion.HTTP_2) {
      connections.giveUp(in.connection());
    }
    Sending.sendLast(in, answer);
  }

  /** Has something looked at until it is done. */
  void watch(Timed what) {
    timed.add(what);
  }

  void done(Timed what) {
    timed.remove(what);
  }

  /** Looks at everything that has a deadline. An error in one look must not stop the others. */
  private void look() {
    long now = System.nanoTime();
    for (Timed each : List.copyOf(timed)) {
      look(() -> each.look(now));
    }
    Line open = line;
    if (open != null) {
      look(() -> open.look(now));
    }
    look(() -> connections.look(now, gateway.site().config().limits().headTimeout()));
  }

  private static void look(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "a deadline could not be looked at", e);
    }
  }
}
