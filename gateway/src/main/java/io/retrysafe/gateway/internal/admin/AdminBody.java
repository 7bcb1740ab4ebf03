// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.admin;

import io.retrysafe.gateway.internal.wire.ResponseWriter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/** The body of a request to the admin API, of bounded size, read within bounded time. */
final class AdminBody {
  static final int LARGEST = 1024 * 1024;

  private final Promise<Buffer> read = Promise.promise();
  private Buffer body = Buffer.buffer();

  private AdminBody() {}

  /** The body is larger than allowed. */
  static final class TooLargeException extends Exception {
    private static final long serialVersionUID = 1;
  }

  /**
   * Reads a body to its end. The result fails with {@link TooLargeException} as soon as the body
   * is, or declares to be, too large. If the body does not end in time, the request is cut off.
   */
  static Future<Buffer> read(Vertx vertx, HttpServerRequest in, Duration within) {
    AdminBody reading = new AdminBody();
    if (in.isEnded()) {
      return Future.succeededFuture(reading.body);
    }
    String length = in.getHeader("Content-Length");
    if (length != null && Long.parseLong(length) > LARGEST) {
      return Future.failedFuture(new TooLargeException());
    }
    long timer = vertx.setTimer(within.toMillis(), late -> ResponseWriter.cut(in));
    in.exceptionHandler(gone -> reading.read.tryFail(gone));
    in.handler(reading::take);
    in.endHandler(end -> reading.read.tryComplete(reading.body));
    return reading.read.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  private void take(Buffer part) {
    if (body.length() + part.length() <= LARGEST) {
      body = body.appendBuffer(part);
    } else {
      body = Buffer.buffer();
      read.tryFail(new TooLargeException());
    }
  }
}
