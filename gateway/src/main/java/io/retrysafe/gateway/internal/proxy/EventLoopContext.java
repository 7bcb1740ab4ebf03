// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.EventLoop;
import io.retrysafe.gateway.internal.wire.ClientConnections;
import io.retrysafe.gateway.internal.wire.Refusal;
import io.retrysafe.gateway.internal.wire.ResponseWriter;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.ContextInternal;
import java.util.concurrent.Executor;

/** One event loop as the requests in it use it. Any thread may call the methods that run work. */
final class EventLoopContext {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private static final Refusal FAILED =
      new Refusal(
          500,
          "This gateway failed to serve the request; its log says why. Send the same request again,"
              + " with the same key.");

  private final Vertx vertx;
  private final Context context;
  private final EventLoop caller;
  private final Watchdog watchdog = new Watchdog();
  private final ClientConnections connections = new ClientConnections();

  EventLoopContext(Vertx vertx, Context context, Executor blocking) {
    this.vertx = vertx;
    this.context = context;
    this.caller = new EventLoop(this::run, blocking);
  }

  Vertx vertx() {
    return vertx;
  }

  /** Returns this loop as the engine calls it back. */
  EventLoop caller() {
    return caller;
  }

  Watchdog watchdog() {
    return watchdog;
  }

  /** Returns the clients' connections of this loop. */
  ClientConnections connections() {
    return connections;
  }

  /** Runs work in this loop: now if this is its thread, else soon. */
  void run(Runnable work) {
    if (((ContextInternal) context).inThread()) {
      work.run();
    } else {
      context.runOnContext(now -> work.run());
    }
  }

  /** Runs work in this loop after the event that is handled now. */
  void runLater(Runnable work) {
    context.runOnContext(now -> work.run());
  }

  /** Runs a part of a request's work in this loop. An error ends that request only. */
  void run(HttpServerRequest in, Runnable work) {
    run(
        () -> {
          try {
            work.run();
          } catch (Throwable e) {
            LOG.log(System.Logger.Level.ERROR, "a request failed", e);
            fail(in);
          }
        });
  }

  /** Answers a request that the gateway failed to serve, if that is still possible. */
  void fail(HttpServerRequest in) {
    try {
      HttpServerResponse response = in.response();
      if (response.ended() || response.closed()) {
        return;
      }
      if (response.headWritten()) {
        ResponseWriter.cut(in);
        return;
      }
      response.headers().clear();
      response.setChunked(false);
      connections.sendLast(in, FAILED.answer());
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "a request could not be ended", e);
    }
  }
}
