// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.EventLoop;
import io.retrysafe.http.Answer;
import io.vertx.core.Context;
import io.vertx.core.Future;
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
    this.caller = new EventLoop(this::onLoop, gateway.calls().ofStore());
  }

  @Override
  public Future<?> start() {
    open(gateway.site());
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

  /** Goes on with another configuration. */
  void open(Site site) {
    Line before = line;
    line = Line.open(vertx, site, gateway.loops());
    if (before != null) {
      timed.add(new Retiring(this, before, connections.open()));
    }
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
    AtomicInteger open = gateway.metrics().open();
    boolean isRoom = open.incrementAndGet() <= line.site().config().limits().requests();
    AtomicBoolean isOpen = new AtomicBoolean(true);
    in.response()
        .endHandler(
            end -> {
              if (isOpen.compareAndSet(true, false)) {
                open.decrementAndGet();
              }
            });
    Front front = new Front(this, line, in);
    if (isRoom) {
      front.handle();
    } else {
      front.tooMany();
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

  private void look() {
    long now = System.nanoTime();
    for (Timed each : List.copyOf(timed)) {
      each.look(now);
    }
    if (line != null) {
      line.look(now);
    }
    connections.look(now, gateway.site().config().limits().headTimeout());
  }
}
