// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;

/**
 * An upstream's answer, held back until it is recorded. What is too large to be kept or finds no
 * room, is an event stream, or comes in parts with pauses between them leaves as it comes.
 */
final class HeldAnswer {
  /** How long an answer of unknown length is held back while more of it may come. */
  private static final long FLUSH_MILLIS = 100;

  private static final long UNKNOWN = -1;

  private final ForwardedCall call;
  private final int status;
  private final List<Header> headers;
  private final long length;
  private final int limit;
  private final Memory.Share share;
  private Buffer held = Buffer.buffer();
  private long flushTimer = UNKNOWN;
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
      flushTimer = call.loop().vertx().setTimer(FLUSH_MILLIS, timer -> leave());
    }
  }

  void take(Buffer part) {
    if (isLeaving) {
      pass(part);
      return;
    }
    if (isTooLarge) {
      return;
    }
    boolean isRoom = share.take(part.length());
    held = held.length() == 0 ? part : held.appendBuffer(part);
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
