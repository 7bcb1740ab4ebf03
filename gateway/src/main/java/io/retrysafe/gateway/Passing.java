// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Header;
import io.retrysafe.http.ProblemType;
import io.vertx.core.buffer.Buffer;
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
final class Passing implements UpstreamCall.Listener, PassingBody.Listener {
  private static final String CONTENT_LENGTH = "Content-Length";
  private static final int SMALL = 64 * 1024;
  private static final byte[] NOTHING = {};

  private static final Strictness.Refusal TOO_SLOW =
      new Strictness.Refusal(408, "The body arrives too slowly.");

  private final Loop loop;
  private final Line line;
  private final Target target;
  private final HttpServerRequest in;
  private final @Nullable Tap tap;
  private @Nullable UpstreamCall out;
  private @Nullable HttpResponse answer;
  private @Nullable Buffer held;
  private @Nullable PassingBody body;
  private boolean isStreamed;
  private boolean isTooSlow;

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

  Passing(Loop loop, Line line, Target target, HttpServerRequest in, @Nullable Tap tap) {
    this.loop = loop;
    this.line = line;
    this.target = target;
    this.in = in;
    this.tap = tap;
  }

  void start() {
    if (!hasBody()) {
      ready();
      return;
    }
    if (in.headers().contains("Expect")) {
      in.response().writeContinue();
    }
    body = new PassingBody(loop, in, line.site().config().limits(), this);
    body.start();
  }

  @Override
  public void ready() {
    line.passing().call(target.endpoint(), this);
  }

  @Override
  public void gone() {
    notReached();
  }

  @Override
  public void tooSlow() {
    if (in.response().ended()) {
      Sending.cut(in);
      return;
    }
    isTooSlow = true;
    if (out != null) {
      out.reset();
    } else {
      notReached();
      answerTooSlow();
    }
  }

  private void answerTooSlow() {
    Answer refusal = Front.answer(TOO_SLOW);
    target.counters().answered(refusal);
    loop.sendLast(in, refusal);
  }

  private boolean hasBody() {
    String length = in.headers().get(CONTENT_LENGTH);
    if (length != null) {
      return !length.equals("0");
    }
    if (in.version() == HttpVersion.HTTP_2) {
      return !(in.method().equals(HttpMethod.GET) || in.method().equals(HttpMethod.HEAD));
    }
    return in.headers().contains("Transfer-Encoding");
  }

  // The request

  @Override
  public void connected(UpstreamCall call) {
    if (in.response().closed() || in.response().ended()) {
      // Nobody waits for it any more.
      call.unused();
      if (!isTooSlow) {
        notReached();
      }
      return;
    }
    out = call;
    in.response().closeHandler(gone -> call.reset());
    send(call, target.head(call, in.method().name(), Strictness.origin(in), in, List.of()));
  }

  private void send(UpstreamCall call, HeadWriter head) {
    String length = in.headers().get(CONTENT_LENGTH);
    if (length != null) {
      head.add(CONTENT_LENGTH, length);
    }
    if (body == null) {
      call.send(head, NOTHING);
      if (tap != null) {
        tap.bodyEnded();
      }
      return;
    }
    if (length == null) {
      head.add("Transfer-Encoding", "chunked");
    }
    ReadStream<Buffer> content = tap == null ? body : new Tapped(body, tap);
    call.send(head, content, length == null);
  }

  @Override
  public void unreachable(Throwable cause) {
    if (isTooSlow) {
      return;
    }
    notReached();
    if (body != null) {
      body.stop();
      in.resume();
    }
    problem(ProblemType.UPSTREAM_UNREACHABLE, "The service could not be reached.");
  }

  private void notReached() {
    if (tap != null) {
      tap.unreachable();
    }
  }

  private void problem(ProblemType type, String detail) {
    Answer problem = line.site().guard().problem(type, detail);
    target.counters().answered(problem);
    Sending.send(in, problem);
  }

  // The answer

  @Override
  public void head(HttpResponse head) {
    answer = head;
    target.counters().passed();
    HttpServerResponse response = in.response();
    response.setStatusCode(head.status().code());
    Forwarding.answer(head.headers(), response.headers());
    String length = head.headers().get(CONTENT_LENGTH);
    boolean isSmall = length != null && length.length() < 6 && Integer.parseInt(length) <= SMALL;
    isStreamed = !isSmall && !isBodiless(head);
    if (isStreamed) {
      response.drainHandler(drained -> resume());
      if (length == null) {
        response.setChunked(true);
      }
    }
  }

  private boolean isBodiless(HttpResponse head) {
    int status = head.status().code();
    return in.method().equals(HttpMethod.HEAD) || status == 204 || status == 304;
  }

  @Override
  public void part(Buffer part) {
    if (isStreamed) {
      in.response().write(part);
      if (out != null && in.response().writeQueueFull()) {
        out.pause();
      }
    } else {
      held = held == null ? part : Buffers.joined(held, part);
    }
  }

  private void resume() {
    if (out != null) {
      out.resume();
    }
  }

  @Override
  public void ended() {
    HttpServerResponse response = in.response();
    if (!response.closed()) {
      if (held == null) {
        response.end();
      } else {
        response.end(held);
      }
    }
    if (tap != null && answer != null) {
      tap.answered(answer.status().code(), Forwarding.answer(answer.headers()));
    }
  }

  @Override
  public void cut(Throwable cause) {
    if (tap != null) {
      tap.cut();
    }
    HttpServerResponse response = in.response();
    if (response.headWritten()) {
      Sending.cut(in);
    } else if (!response.closed()) {
      // A client that went away says nothing about the upstream.
      response.headers().clear();
      response.setChunked(false);
      if (isTooSlow) {
        answerTooSlow();
        return;
      }
      problem(ProblemType.UPSTREAM_SILENT, "The service was asked and did not answer.");
    }
  }
}
