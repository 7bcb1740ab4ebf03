// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.Answer;
import io.retrysafe.http.Header;
import io.retrysafe.http.ProblemType;
import io.vertx.core.AsyncResult;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.streams.ReadStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request that passes untouched: both bodies are streamed, with back-pressure. Small answers
 * leave in one piece, which is twice as fast.
 */
final class Passing {
  private static final long SMALL = 64 * 1024;

  private final Line line;
  private final Target target;
  private final HttpServerRequest in;
  private final @Nullable Tap tap;

  /** Looks at a request and its answer without changing them. */
  interface Tap {
    void body(Buffer part);

    void bodyEnded();

    void answered(int status, List<Header> headers);

    /** Is told that the upstream was never reached. */
    void unreachable();

    /** Is told that there will be no whole answer. */
    void cut();
  }

  Passing(Line line, Target target, HttpServerRequest in, @Nullable Tap tap) {
    this.line = line;
    this.target = target;
    this.in = in;
    this.tap = tap;
  }

  void start() {
    boolean hasBody = hasBody();
    if (hasBody) {
      in.pause();
    }
    line.passing()
        .request(target.request(in.method(), Strictness.origin(in)))
        .onComplete(
            out -> {
              if (out.succeeded()) {
                forward(out.result(), hasBody);
              } else {
                unreachable();
              }
            });
  }

  private boolean hasBody() {
    if (in.headers().contains("Content-Length")) {
      return !"0".equals(in.getHeader("Content-Length"));
    }
    if (in.version() == HttpVersion.HTTP_2) {
      return !(in.method().equals(HttpMethod.GET) || in.method().equals(HttpMethod.HEAD));
    }
    return in.headers().contains("Transfer-Encoding");
  }

  private void forward(HttpClientRequest out, boolean hasBody) {
    target.head(in, out);
    in.response().closeHandler(gone -> out.reset());
    out.response().onComplete(this::answer);
    if (!hasBody) {
      if (in.headers().contains("Content-Length")) {
        out.putHeader("Content-Length", "0");
      }
      if (tap != null) {
        tap.bodyEnded();
      }
      out.end();
      return;
    }
    if (in.headers().contains("Content-Length")) {
      out.putHeader("Content-Length", in.getHeader("Content-Length"));
    } else {
      out.setChunked(true);
    }
    if (in.headers().contains("Expect")) {
      in.response().writeContinue();
    }
    ReadStream<Buffer> body = tap == null ? in : new Tapped(in, tap);
    body.pipeTo(out);
  }

  private void unreachable() {
    if (tap != null) {
      tap.unreachable();
    }
    problem(ProblemType.UPSTREAM_UNREACHABLE, "The service could not be reached.");
  }

  private void problem(ProblemType type, String detail) {
    Answer answer = line.site().guard().problem(type, detail);
    target.counters().answered(answer);
    Sending.send(in, answer);
  }

  private void answer(AsyncResult<HttpClientResponse> answered) {
    if (answered.failed()) {
      cut();
      return;
    }
    HttpClientResponse answer = answered.result();
    HttpServerResponse response = in.response();
    target.counters().passed();
    response.setStatusCode(answer.statusCode());
    Forwarding.answer(answer.headers(), response.headers());
    if (tap != null) {
      answer.exceptionHandler(failure -> tap.cut());
    }
    String length = answer.getHeader("Content-Length");
    boolean isBodiless =
        in.method().equals(HttpMethod.HEAD)
            || answer.statusCode() == 204
            || answer.statusCode() == 304;
    if (isBodiless) {
      answer.end().onComplete(end -> response.end());
      tapped(answer);
    } else if (length != null && length.length() < 6 && Long.parseLong(length) <= SMALL) {
      answer.body().onComplete(body -> small(answer, body));
    } else {
      if (length == null) {
        response.setChunked(true);
      }
      answer
          .pipeTo(response)
          .onSuccess(end -> tapped(answer))
          .onFailure(failure -> Sending.cut(in));
    }
  }

  private void small(HttpClientResponse answer, AsyncResult<Buffer> body) {
    if (body.succeeded()) {
      in.response().end(body.result());
      tapped(answer);
    } else {
      in.response().headers().clear();
      cut();
    }
  }

  private void tapped(HttpClientResponse answer) {
    if (tap != null) {
      tap.answered(answer.statusCode(), Forwarding.answer(answer.headers()));
    }
  }

  private void cut() {
    if (tap != null) {
      tap.cut();
    }
    if (in.response().headWritten()) {
      Sending.cut(in);
    } else if (!in.response().closed()) {
      // A client that went away says nothing about the upstream.
      problem(ProblemType.UPSTREAM_SILENT, "The service was asked and did not answer.");
    }
  }
}
