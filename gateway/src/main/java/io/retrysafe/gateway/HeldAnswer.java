// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * An upstream's answer, held back until it is recorded. What is too large to be kept or finds no
 * room, is an event stream, or has no length and comes in parts with pauses between them leaves as
 * it comes.
 */
final class HeldAnswer {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private static final long UNKNOWN = -1;

  private final ForwardedCall call;
  private final int status;
  private final List<Header> headers;
  private final long length;
  private final int limit;
  private final Memory.Share share;
  private Buffer held = Buffer.buffer();
  private long flushTimer = UNKNOWN;
  private long heard = System.nanoTime();
  private boolean isLeaving;
  private boolean isPaused;
  private boolean isClientGone;
  private boolean isTooLarge;

  HeldAnswer(ForwardedCall call, HttpResponse answer) {
    this.call = call;
    this.status = answer.status().code();
    this.headers = Forwarding.answer(answer.headers());
    this.length = length(answer);
    this.limit = call.exchange().answerLimit();
    this.share = call.answerShare();
  }

  private static long length(HttpResponse answer) {
    String length = answer.headers().get("Content-Length");
    return length == null ? UNKNOWN : Long.parseLong(length.strip());
  }

  void start() {
    Exchange exchange = call.exchange();
    if (length > limit || !exchange.mayBeKept(headers)) {
      leave();
    } else if (length == UNKNOWN) {
      leaveAfter(call.pause());
    }
  }

  /** Leaves if nothing comes within that time. A part that comes meanwhile begins it anew. */
  private void leaveAfter(long nanos) {
    long millis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos));
    flushTimer = call.loop().vertx().setTimer(millis, timer -> paused());
  }

  private void paused() {
    if (call.isSilent()) {
      // Its caller has another answer, so nothing is gained by sending this one early.
      return;
    }
    long left = call.pause() - (System.nanoTime() - heard);
    if (left > 0) {
      leaveAfter(left);
      return;
    }
    try {
      leave();
    } catch (Throwable e) {
      LOG.log(System.Logger.Level.ERROR, "an answer could not be sent as it comes", e);
      call.giveUp();
    }
  }

  void take(Buffer part) {
    heard = System.nanoTime();
    if (isLeaving) {
      pass(part);
      return;
    }
    if (isTooLarge) {
      return;
    }
    boolean isRoom = share.take(part.length());
    held = held.length() == 0 ? part : Buffers.joined(held, part);
    if (held.length() > limit || !isRoom) {
      leave();
    }
  }

  /** Sends what was held, and from now on everything at once. */
  private void leave() {
    stopTimer();
    share.close();
    if (call.isSilent()) {
      // Its caller was told something else; there is nowhere to go for a large late answer.
      isTooLarge = true;
      held = Buffer.buffer();
      return;
    }
    isLeaving = true;
    HttpServerResponse response = call.in().response();
    response.closeHandler(gone -> clientGone());
    response.drainHandler(drained -> resume());
    Sending.head(response, status, call.exchange().sendable(headers));
    if (length >= 0) {
      response.putHeader("Content-Length", String.valueOf(length));
    } else {
      response.setChunked(true);
    }
    if (held.length() == 0) {
      response.writeHead();
    } else {
      pass(held);
    }
    held = Buffer.buffer();
  }

  private void pass(Buffer part) {
    HttpServerResponse response = call.in().response();
    if (isClientGone || response.closed()) {
      return;
    }
    response.write(part);
    if (response.writeQueueFull()) {
      isPaused = true;
      call.reading(false);
    }
  }

  private void resume() {
    isPaused = false;
    call.heard();
    call.reading(true);
  }

  boolean isLeaving() {
    return isLeaving;
  }

  /** Is told that nothing has moved for too long: cuts off whoever it is that does not get on. */
  void stalled() {
    if (isPaused) {
      Sending.cut(call.in());
      clientGone();
    } else {
      call.giveUp();
    }
  }

  /** The upstream is listened to, to its end: its answer is recorded whoever hears it. */
  private void clientGone() {
    isClientGone = true;
    resume();
  }

  void ended() {
    stopTimer();
    if (!isLeaving && !isTooLarge) {
      call.whole(status, headers, held, share);
      return;
    }
    call.streamed(
        status,
        headers,
        () -> {
          if (isLeaving) {
            call.in().response().end();
          }
        });
  }

  void cut(Throwable failure) {
    stopTimer();
    share.close();
    if (isLeaving) {
      call.brokenOff();
    } else {
      call.cutOff(failure);
    }
  }

  private void stopTimer() {
    if (flushTimer != UNKNOWN) {
      call.loop().vertx().cancelTimer(flushTimer);
      flushTimer = UNKNOWN;
    }
  }
}
