// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.Bytes;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Header;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;

/** Sends answers to clients. */
final class Sending {
  private Sending() {}

  /** Sends an answer whole; a client that has gone is not told. */
  static void send(HttpServerRequest in, Answer answer) {
    HttpServerResponse response = in.response();
    if (response.closed() || response.ended()) {
      return;
    }
    head(response, answer.status(), answer.headers());
    answer.contentLength().ifPresent(n -> response.putHeader("Content-Length", String.valueOf(n)));
    if (answer.body().isEmpty()) {
      response.end();
    } else {
      response.end(buffer(answer.body()));
    }
  }

  /**
   * Sends an answer and closes the connection, which cannot be trusted or would be read in vain.
   */
  static void sendAndClose(HttpServerRequest in, Answer answer) {
    HttpServerResponse response = in.response();
    if (!response.closed() && !response.ended() && in.version().ordinal() < 2) {
      response.putHeader("Connection", "close");
    }
    send(in, answer);
    in.connection().close();
  }

  static void head(HttpServerResponse response, int status, List<Header> headers) {
    response.setStatusCode(status);
    for (Header header : headers) {
      response.headers().add(header.name(), header.value());
    }
  }

  static Buffer buffer(Bytes bytes) {
    return Buffer.buffer(bytes.toArray());
  }
}
