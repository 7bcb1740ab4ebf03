// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.internal.metrics.BodyBudget;
import io.retrysafe.gateway.internal.wire.BodyRate;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.streams.ReadStream;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that passes. The gateway holds its beginning until the body is whole or
 * large enough, and only then takes an upstream connection: slow clients take none. After that it
 * streams the body as the upstream reads it. It must arrive at the configured rate and end within
 * the configured time. Belongs to the event loop.
 */
final class PassingBody implements Watchdog.Watched, ReadStream<Buffer> {
  /** A body of this size or more is streamed. */
  static final int ENOUGH = 16 * 1024;

  private final RequestContext request;
  private final HttpServerRequest in;
  private final Listener listener;
  private final BodyRate rate;
  private final BodyBudget.Share share;
  private final long start = System.nanoTime();
  private final long within;
  private final BodyParts held = new BodyParts();
  private @Nullable Handler<Buffer> handler;
  private @Nullable Handler<Void> endHandler;
  private @Nullable Handler<Throwable> exceptionHandler;
  private boolean isReady;
  private boolean isArrived;
  private boolean isEnded;
  private boolean isPaused;

  /** Hears about the progress of a body. */
  interface Listener {
    /** There is enough of the body to send, or all of it. */
    void ready();

    /** The client disconnected before there was anything to send. */
    void gone();

    /** The body arrives too slowly. Nothing more is read. */
    void tooSlow();
  }

  PassingBody(RequestContext request, Listener listener) {
    this.request = request;
    this.in = request.in();
    this.listener = listener;
    this.rate = BodyRate.start(request.limits());
    this.share = request.bodyShare();
    this.within = request.limits().passTimeout().toNanos();
  }

  void start() {
    request.watch(this);
    in.exceptionHandler(this::failed);
    in.response().closeHandler(closed -> failed(new java.io.IOException("the client went away")));
    in.handler(this::take);
    in.endHandler(end -> arrived());
  }

  private void take(Buffer part) {
    rate.took(part.length());
    if (isReady && held.isEmpty() && handler != null) {
      handler.handle(part);
      return;
    }
    boolean isRoom = share.take(part.length());
    held.add(part);
    if (!isReady && (!isRoom || held.length() >= ENOUGH)) {
      read(false);
      ready();
    }
  }

  private void arrived() {
    isArrived = true;
    request.done(this);
    if (isReady) {
      deliver();
    } else {
      ready();
    }
  }

  private void ready() {
    isReady = true;
    listener.ready();
  }

  private void read(boolean isWanted) {
    rate.reading(isWanted);
    if (isWanted) {
      in.resume();
    } else {
      in.pause();
    }
  }

  /** Passes on what is held, and then the end. */
  private void deliver() {
    if (isPaused || handler == null) {
      return;
    }
    if (!held.isEmpty()) {
      share.close();
      handler.handle(held.take());
    }
    if (isArrived && !isPaused && !isEnded) {
      isEnded = true;
      if (endHandler != null) {
        endHandler.handle(null);
      }
    }
  }

  private void failed(Throwable cause) {
    if (isArrived) {
      return;
    }
    stop();
    if (exceptionHandler != null) {
      exceptionHandler.handle(cause);
    } else {
      listener.gone();
    }
  }

  /** Discards the body. Parts that still arrive are read and dropped. */
  void stop() {
    request.done(this);
    isReady = true;
    isArrived = true;
    isEnded = true;
    Buffer unused = held.take();
    handler = dropped -> {};
    share.close();
  }

  @Override
  public void check(long now) {
    if (now - start > within || rate.isTooSlow(now)) {
      stop();
      listener.tooSlow();
    }
  }

  // The stream that the upstream connection reads

  @Override
  public PassingBody handler(@Nullable Handler<Buffer> handler) {
    this.handler = handler;
    return this;
  }

  @Override
  public PassingBody endHandler(@Nullable Handler<Void> endHandler) {
    this.endHandler = endHandler;
    return this;
  }

  @Override
  public PassingBody exceptionHandler(@Nullable Handler<Throwable> handler) {
    this.exceptionHandler = handler;
    return this;
  }

  @Override
  public PassingBody pause() {
    isPaused = true;
    if (!isArrived) {
      read(false);
    }
    return this;
  }

  @Override
  public PassingBody resume() {
    isPaused = false;
    deliver();
    if (!isPaused && !isArrived) {
      read(true);
    }
    return this;
  }

  @Override
  public PassingBody fetch(long amount) {
    return resume();
  }
}
