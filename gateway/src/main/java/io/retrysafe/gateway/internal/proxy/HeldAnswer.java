// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.gateway.internal.metrics.BodyBudget;
import io.retrysafe.gateway.internal.upstream.UpstreamCall;
import io.retrysafe.gateway.internal.wire.ResponseWriter;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An upstream's answer, held back until it is recorded. The gateway streams an answer instead if it
 * is too large to keep, finds no memory, is an event stream, or has no length and pauses.
 *
 * <p>It owns the answer and its way to the client. A {@link Listener} hears how it ends. Belongs to
 * the event loop.
 */
final class HeldAnswer {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private static final long UNKNOWN = -1;

  private final RequestContext request;
  private final Exchange exchange;
  private final UpstreamCall upstream;
  private final Listener listener;
  private final int status;
  private final List<Header> headers;
  private final long length;
  private final int limit;
  private final BodyBudget.Share share;
  private final BodyParts held = new BodyParts();
  private long flushTimer = UNKNOWN;
  private long moved = System.nanoTime();
  private boolean isStreaming;
  private boolean isPaused;
  private boolean isClientGone;
  private boolean isLate;
  private boolean isTooLarge;

  /** Hears how an answer ends, in the event loop. */
  interface Listener {
    /**
     * The answer is whole and still held; the listener closes {@code share} once it is recorded.
     */
    void whole(int status, List<Header> headers, Buffer body, BodyBudget.Share share);

    /** The answer was streamed, or is too large for a late one; {@code then} ends the response. */
    void streamed(int status, List<Header> headers, Runnable then);

    /** The upstream broke off while the answer was streamed. */
    void brokenOff();

    /** The upstream broke off before the client got anything. */
    void cutOff(Throwable cause);
  }

  HeldAnswer(
      RequestContext request,
      Exchange exchange,
      UpstreamCall upstream,
      Listener listener,
      HttpResponse answer) {
    this.request = request;
    this.exchange = exchange;
    this.upstream = upstream;
    this.listener = listener;
    this.status = answer.status().code();
    this.headers = ForwardedHeaders.answer(answer.headers());
    this.length = length(answer);
    this.limit = exchange.answerLimit();
    this.share = request.answerShare();
  }

  private static long length(HttpResponse answer) {
    String length = answer.headers().get("Content-Length");
    return length == null ? UNKNOWN : Long.parseLong(length.strip());
  }

  /** Begins with the head. If it is {@code late}, the client already has another answer. */
  void start(boolean late) {
    isLate = late;
    if (length > limit || !exchange.mayBeKept(headers)) {
      stream();
    } else if (length == UNKNOWN) {
      streamAfter(request.longestPause());
    }
  }

  /** Notes that the client was answered without waiting for the rest. */
  void late() {
    isLate = true;
  }

  boolean isStreaming() {
    return isStreaming;
  }

  /** Streams if no part arrives within that time. */
  private void streamAfter(long nanos) {
    long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos));
    flushTimer = request.vertx().setTimer(millis, timer -> paused());
  }

  private void paused() {
    if (isLate) {
      return;
    }
    long left = request.longestPause() - (System.nanoTime() - moved);
    if (left > 0) {
      streamAfter(left);
      return;
    }
    try {
      stream();
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "an answer could not be streamed", e);
      upstream.reset();
    }
  }

  void part(Buffer part) {
    moved = System.nanoTime();
    if (isStreaming) {
      pass(part);
      return;
    }
    if (isTooLarge) {
      return;
    }
    boolean isRoom = share.take(part.length());
    held.add(part);
    if (held.length() > limit || !isRoom) {
      stream();
    }
  }

  /** Sends what is held, and from now on every part at once. */
  private void stream() {
    stopTimer();
    share.close();
    if (isLate) {
      // The client has another answer, and this one is too large to keep.
      isTooLarge = true;
      Buffer unused = held.take();
      return;
    }
    isStreaming = true;
    HttpServerResponse response = request.in().response();
    response.closeHandler(gone -> clientGone());
    response.drainHandler(drained -> resume());
    ResponseWriter.head(response, status, exchange.sendable(headers));
    if (length >= 0) {
      response.putHeader("Content-Length", String.valueOf(length));
    } else {
      response.setChunked(true);
    }
    if (held.isEmpty()) {
      response.writeHead();
    } else {
      pass(held.take());
    }
  }

  private void pass(Buffer part) {
    HttpServerResponse response = request.in().response();
    if (isClientGone || response.closed()) {
      return;
    }
    response.write(part);
    if (response.writeQueueFull()) {
      isPaused = true;
      upstream.pause();
    }
  }

  private void resume() {
    isPaused = false;
    moved = System.nanoTime();
    upstream.resume();
  }

  /** If a streamed answer has not moved for too long, disconnects the side that is stuck. */
  void checkProgress(long now, long within) {
    if (now - moved <= within) {
      return;
    }
    moved = now;
    if (isPaused) {
      ResponseWriter.cut(request.in());
      clientGone();
    } else {
      upstream.reset();
    }
  }

  /** Reads the upstream's answer to its end, so that it is recorded without a client, too. */
  private void clientGone() {
    isClientGone = true;
    resume();
  }

  void ended() {
    stopTimer();
    if (!isStreaming && !isTooLarge) {
      listener.whole(status, headers, held.take(), share);
      return;
    }
    listener.streamed(
        status,
        headers,
        () -> {
          if (isStreaming) {
            request.in().response().end();
          }
        });
  }

  void cut(Throwable cause) {
    stopTimer();
    share.close();
    if (isStreaming) {
      listener.brokenOff();
    } else {
      listener.cutOff(cause);
    }
  }

  private void stopTimer() {
    if (flushTimer != UNKNOWN) {
      request.vertx().cancelTimer(flushTimer);
      flushTimer = UNKNOWN;
    }
  }
}
