// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.netty.buffer.Unpooled;
import io.retrysafe.Bytes;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Header;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.List;

/** Sends answers to clients. */
public final class ResponseWriter {
  private static final long NO_ERROR = 0;
  private static final long ENHANCE_YOUR_CALM = 0xb;

  private ResponseWriter() {}

  /** Sends a whole answer, unless the client already has one or has disconnected. */
  public static void send(HttpServerRequest in, Answer answer) {
    Future<Void> unused = sent(in, answer);
  }

  /**
   * Sends an answer as {@link #send} does; the result completes when the client has received it.
   */
  static Future<Void> sent(HttpServerRequest in, Answer answer) {
    HttpServerResponse response = in.response();
    if (response.ended()) {
      return Future.succeededFuture();
    }
    head(response, answer.status(), answer.headers());
    answer.contentLength().ifPresent(n -> response.putHeader("Content-Length", String.valueOf(n)));
    return answer.body().isEmpty() ? response.end() : response.end(buffer(answer.body()));
  }

  /** Answers a request that could not be parsed. Nothing more is read from its connection. */
  public static void refuseMalformed(HttpServerRequest in) {
    sendLast(in, Refusal.malformed(in.decoderResult().cause()).answer());
  }

  /** Ends a request without a whole answer: resets its HTTP/2 stream, or closes its connection. */
  public static void cut(HttpServerRequest in) {
    if (in.version() == HttpVersion.HTTP_2) {
      in.response().reset();
    } else {
      in.connection().close();
    }
  }

  /**
   * Ends a request because its client uses too much. Other requests of an HTTP/2 connection go on.
   */
  static void refuse(HttpServerRequest in) {
    if (in.version() == HttpVersion.HTTP_2) {
      in.response().reset(ENHANCE_YOUR_CALM);
    } else {
      in.connection().close();
    }
  }

  /**
   * Sends the last answer of a connection. On HTTP/2 other requests go on; only the rest of this
   * request's body is refused.
   */
  static void sendLast(HttpServerRequest in, Answer answer) {
    boolean isAlone = in.version() != HttpVersion.HTTP_2;
    if (isAlone) {
      in.response().putHeader("Connection", "close");
    }
    boolean isWanted = in.isEnded();
    send(in, answer);
    if (isAlone) {
      in.connection().close();
    } else if (!isWanted) {
      in.response().reset(NO_ERROR);
    }
  }

  public static void head(HttpServerResponse response, int status, List<Header> headers) {
    response.setStatusCode(status);
    for (Header header : headers) {
      response.headers().add(header.name(), header.value());
    }
  }

  static Buffer buffer(Bytes bytes) {
    return BufferInternal.buffer(Unpooled.wrappedBuffer(bytes.toArray()));
  }
}
