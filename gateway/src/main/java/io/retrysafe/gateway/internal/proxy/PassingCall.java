// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.gateway.internal.upstream.HeadWriter;
import io.retrysafe.gateway.internal.upstream.UpstreamCall;
import io.retrysafe.gateway.internal.wire.Refusal;
import io.retrysafe.gateway.internal.wire.RequestRules;
import io.retrysafe.gateway.internal.wire.ResponseWriter;
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
 * A request that passes unguarded. Both bodies are streamed with back-pressure; small answers are
 * sent in one piece, which is twice as fast.
 */
final class PassingCall implements UpstreamCall.Listener, PassingBody.Listener {
  private static final String CONTENT_LENGTH = "Content-Length";
  private static final int SMALL = 64 * 1024;
  private static final byte[] NOTHING = {};

  private static final Refusal TOO_SLOW = new Refusal(408, "The body arrives too slowly.");

  private final RequestContext request;
  private final RouteTarget target;
  private final HttpServerRequest in;
  private final @Nullable Observer observer;
  private @Nullable UpstreamCall out;
  private @Nullable HttpResponse answer;
  private final BodyParts held = new BodyParts();
  private @Nullable PassingBody body;
  private boolean isStreamed;
  private boolean isTooSlow;

  /** Observes a request and its answer without changing them. */
  interface Observer {
    void body(Buffer part);

    void bodyEnded();

    void answered(int status, List<Header> headers);

    /** The upstream was never reached. */
    void unreachable();

    /** There will be no whole answer. */
    void cut();
  }

  PassingCall(RequestContext request, RouteTarget target, @Nullable Observer observer) {
    this.request = request;
    this.target = target;
    this.in = request.in();
    this.observer = observer;
  }

  void start() {
    if (!hasBody()) {
      ready();
      return;
    }
    if (in.headers().contains("Expect")) {
      in.response().writeContinue();
    }
    body = new PassingBody(request, this);
    body.start();
  }

  @Override
  public void ready() {
    request.passing().call(target.endpoint(), this);
  }

  @Override
  public void gone() {
    notReached();
  }

  @Override
  public void tooSlow() {
    if (in.response().ended()) {
      ResponseWriter.cut(in);
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
    Answer refusal = TOO_SLOW.answer();
    target.counters().answered(refusal);
    request.sendLast(refusal);
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
      // The client no longer waits.
      call.unused();
      if (!isTooSlow) {
        notReached();
      }
      return;
    }
    out = call;
    in.response().closeHandler(gone -> call.reset());
    send(call, target.head(call, in.method().name(), RequestRules.origin(in), in, List.of()));
  }

  private void send(UpstreamCall call, HeadWriter head) {
    String length = in.headers().get(CONTENT_LENGTH);
    if (length != null) {
      head.add(CONTENT_LENGTH, length);
    }
    if (body == null) {
      call.send(head, NOTHING);
      if (observer != null) {
        observer.bodyEnded();
      }
      return;
    }
    if (length == null) {
      head.add("Transfer-Encoding", "chunked");
    }
    ReadStream<Buffer> content = observer == null ? body : new ObservedBody(body, observer);
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
    if (observer != null) {
      observer.unreachable();
    }
  }

  private void problem(ProblemType type, String detail) {
    Answer problem = request.problem(type, detail);
    target.counters().answered(problem);
    ResponseWriter.send(in, problem);
  }

  // The answer

  @Override
  public void head(HttpResponse head) {
    answer = head;
    target.counters().passed();
    HttpServerResponse response = in.response();
    response.setStatusCode(head.status().code());
    ForwardedHeaders.answer(head.headers(), response.headers());
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
      held.add(part);
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
      if (held.isEmpty()) {
        response.end();
      } else {
        response.end(held.take());
      }
    }
    if (observer != null && answer != null) {
      observer.answered(answer.status().code(), ForwardedHeaders.answer(answer.headers()));
    }
  }

  @Override
  public void cut(Throwable cause) {
    if (observer != null) {
      observer.cut();
    }
    HttpServerResponse response = in.response();
    if (response.headWritten()) {
      ResponseWriter.cut(in);
    } else if (!response.closed()) {
      // If the client disconnected, there is nobody to answer.
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
