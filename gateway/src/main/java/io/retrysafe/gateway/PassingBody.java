// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.streams.ReadStream;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request that passes. Its beginning is held until the body is whole or there is
 * enough of it: only then a connection to the upstream is worth taking. Clients that send little,
 * or nothing, take none. After that the body is streamed as the upstream reads it. It must arrive
 * at the configured rate and end within the configured time. Belongs to the event loop.
 */
final class PassingBody implements Loop.Timed, ReadStream<Buffer> {
  /** A body of this size or more is streamed. */
  static final int ENOUGH = 16 * 1024;

  private final Loop loop;
  private final HttpServerRequest in;
  private final Listener listener;
  private final BodyRate rate;
  private final Memory.Share share;
  private final long start = System.nanoTime();
  private final long within;
  private @Nullable Buffer held;
  private @Nullable Handler<Buffer> handler;
  private @Nullable Handler<Void> endHandler;
  private @Nullable Handler<Throwable> exceptionHandler;
  private boolean isReady;
  private boolean isArrived;
  private boolean isEnded;
  private boolean isPaused;

  /** Hears how a body gets on. */
  interface Listener {
    /** There is enough of the body to send, or all of it. */
    void ready();

    /** The client went away before there was anything to send. */
    void gone();

    /** The body arrives too slowly. Nothing more is read. */
    void tooSlow();
  }

  PassingBody(Loop loop, HttpServerRequest in, Limits limits, Listener listener) {
    this.loop = loop;
    this.in = in;
    this.listener = listener;
    this.rate = BodyRate.start(limits);
    this.share = loop.gateway().metrics().bodies().share(limits.bodiesMemory());
    this.within = limits.passTimeout().toNanos();
  }

  void start() {
    loop.watch(this);
    in.exceptionHandler(this::failed);
    in.response().closeHandler(closed -> failed(new java.io.IOException("the client went away")));
    in.handler(this::take);
    in.endHandler(end -> arrived());
  }

  private void take(Buffer part) {
    rate.took(part.length());
    if (isReady && held == null && handler != null) {
      handler.handle(part);
      return;
    }
    boolean isRoom = share.take(part.length());
    held = held == null ? part : Buffers.joined(held, part);
    if (!isReady && (!isRoom || held.length() >= ENOUGH)) {
      read(false);
      ready();
    }
  }

  private void arrived() {
    isArrived = true;
    loop.done(this);
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

  /** Gives on what is held, and says when that was all. */
  private void deliver() {
    if (isPaused || handler == null) {
      return;
    }
    Buffer first = held;
    if (first != null) {
      held = null;
      share.close();
      handler.handle(first);
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

  /** Forgets the body: nobody wants it any more. What still comes is read and dropped. */
  void stop() {
    loop.done(this);
    isReady = true;
    isArrived = true;
    isEnded = true;
    held = null;
    handler = dropped -> {};
    share.close();
  }

  @Override
  public void look(long now) {
    if (now - start > within || rate.isTooSlow(now)) {
      stop();
      listener.tooSlow();
    }
  }

  // As the upstream's connection reads it

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
