// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.Bytes;
import io.retrysafe.gateway.config.ForwardKey;
import io.retrysafe.gateway.internal.metrics.BodyBudget;
import io.retrysafe.gateway.internal.upstream.HeadWriter;
import io.retrysafe.gateway.internal.upstream.UpstreamCall;
import io.retrysafe.gateway.internal.wire.RequestRules;
import io.retrysafe.gateway.internal.wire.ResponseWriter;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.body.RequestBody;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A guarded request that runs: the gateway sends it to its upstream once and records the answer.
 *
 * <p><b>Sent or not.</b> Until there is a connection, nothing was sent, and the key becomes free
 * again. As soon as the gateway writes the request, only the upstream knows what happened. Any
 * failure after that leaves the outcome unknown, even on a reused connection that the upstream may
 * have closed in the meantime. The gateway never sends a request twice.
 *
 * <p><b>Late answers.</b> If the upstream stays silent, the gateway tells the client, but keeps the
 * connection: it still records an answer that arrives later.
 *
 * <p>All fields belong to the event loop.
 */
final class ForwardedCall implements Watchdog.Watched, UpstreamCall.Listener, HeldAnswer.Listener {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final RequestContext request;
  private final RouteTarget target;
  private final Exchange exchange;
  private final RequestBody body;
  private final HeldBody heldBody;
  private final RunningOperations.@Nullable Running running;
  private final OutcomeRecorder recorder;
  private final long answerWithin;
  private final long lateWithin;
  private final long start = System.nanoTime();
  private long heard = start;
  private long silentSince;
  private @Nullable AsyncFile content;
  private @Nullable UpstreamCall out;
  private @Nullable HeldAnswer held;
  private boolean isSilent;
  private boolean isOver;

  ForwardedCall(
      RequestContext request,
      RouteTarget target,
      Exchange exchange,
      HeldBody body,
      RunningOperations.@Nullable Running running) {
    this.request = request;
    this.target = target;
    this.exchange = exchange;
    this.heldBody = body;
    this.body = body.body();
    this.running = running;
    this.recorder = new OutcomeRecorder(request, target, () -> isSilent);
    this.answerWithin = request.limits().answerTimeout().toNanos();
    this.lateWithin = request.limits().lateWithin().toNanos() - answerWithin;
  }

  void start() {
    request.metrics().running().increment();
    Future<@Nullable AsyncFile> opening;
    try {
      opening = content();
    } catch (Throwable e) {
      notHeld(e);
      return;
    }
    opening
        .onFailure(this::notHeld)
        .onSuccess(
            opened -> {
              content = opened;
              request.guarded().call(target.endpoint(), this);
            });
  }

  /** Opens the body before anything is sent. */
  private Future<@Nullable AsyncFile> content() {
    return body.file()
        .map(
            file ->
                request
                    .vertx()
                    .fileSystem()
                    .open(file.toString(), new OpenOptions().setRead(true).setWrite(false))
                    .<@Nullable AsyncFile>map(open -> open))
        .orElseGet(Future::succeededFuture);
  }

  private void notHeld(Throwable failure) {
    LOG.log(System.Logger.Level.ERROR, "a request body could not be held on disk", failure);
    recorder.answer(
        () -> exchange.refused(ProblemType.STORE_UNAVAILABLE, HeldBody.NOT_HELD, request.caller()));
    over();
  }

  // The upstream

  @Override
  public void connected(UpstreamCall call) {
    HeadWriter head;
    byte[] bytes;
    try {
      head = head(call);
      bytes = content == null ? bytes() : new byte[0];
    } catch (Throwable e) {
      // Nothing was written yet.
      call.unused();
      unreachable(e);
      return;
    }
    out = call;
    heard = System.nanoTime();
    request.watch(this);
    if (content == null) {
      call.send(head, bytes);
    } else {
      call.send(head, content, false);
    }
  }

  /** Returns the head of the request, with the key that the route forwards. */
  private HeadWriter head(UpstreamCall call) {
    HttpServerRequest in = request.in();
    String key = exchange.route().keyHeader();
    List<String> without = target.forwardKey() == ForwardKey.SAME ? List.of() : List.of(key);
    HeadWriter head = target.head(call, in.method().name(), RequestRules.origin(in), in, without);
    if (target.forwardKey() == ForwardKey.DERIVED) {
      exchange.operation().ifPresent(o -> head.add(key, o.downstreamKey(UpstreamQuery.DOWNSTREAM)));
    }
    return head.add("Content-Length", String.valueOf(body.size()));
  }

  private byte[] bytes() {
    try (InputStream bytes = body.open()) {
      return bytes.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void unreachable(Throwable failure) {
    LOG.log(System.Logger.Level.WARNING, "{0} could not be reached: {1}", target, failure);
    recorder.answer(
        () ->
            exchange.refused(
                ProblemType.UPSTREAM_UNREACHABLE,
                "The service could not be reached; nothing was sent. Send the same request again,"
                    + " with the same key.",
                request.caller()));
    over();
  }

  @Override
  public void head(HttpResponse answer) {
    heard = System.nanoTime();
    held = new HeldAnswer(request, exchange, Objects.requireNonNull(out), this, answer);
    held.start(isSilent);
  }

  @Override
  public void part(Buffer part) {
    heard = System.nanoTime();
    if (held != null) {
      held.part(part);
    }
  }

  @Override
  public void ended() {
    heard = System.nanoTime();
    if (held != null) {
      held.ended();
    }
  }

  @Override
  public void cut(Throwable cause) {
    if (held == null) {
      cutOff(cause);
    } else {
      held.cut(cause);
    }
  }

  @Override
  public void check(long now) {
    if (held != null && held.isStreaming()) {
      held.checkProgress(now, answerWithin);
    } else if (now - heard > answerWithin && !isSilent) {
      silent("did not answer in time");
    } else if (isSilent && now - silentSince > lateWithin && out != null) {
      // Even in the middle of an answer: from now on a lookup may ask about the operation.
      out.reset();
    }
  }

  private void silent(String why) {
    isSilent = true;
    silentSince = System.nanoTime();
    if (held != null) {
      held.late();
    }
    LOG.log(System.Logger.Level.WARNING, "{0} was sent a request and {1}", target, why);
    recorder.answer(
        () ->
            exchange.unknown(
                ProblemType.UPSTREAM_SILENT,
                "The service was sent the request and did not answer. It is unknown whether it did"
                    + " what was asked: do not use a new key.",
                request.caller()));
  }

  // The answer

  @Override
  public void whole(int status, List<Header> headers, Buffer answer, BodyBudget.Share share) {
    target.counters().called(System.nanoTime() - start);
    // Before the answer is sent: then nothing of the request is left.
    closeBody();
    Bytes bytes = Bytes.wrap(answer.getBytes());
    recorder.answer(() -> exchange.answered(status, headers, bytes, request.caller()));
    recorder.afterwards(share::close);
    over();
  }

  @Override
  public void streamed(int status, List<Header> headers, Runnable then) {
    target.counters().called(System.nanoTime() - start);
    target.counters().result("streamed");
    recorder.record(
        () -> exchange.notKept(status, headers, request.caller()).thenApply(sent -> then));
    over();
  }

  @Override
  public void brokenOff() {
    isSilent = true;
    LOG.log(System.Logger.Level.WARNING, "{0} broke off in the middle of its answer", target);
    recorder.record(
        () ->
            exchange
                .unknown(ProblemType.UPSTREAM_SILENT, "The answer broke off.", request.caller())
                .thenApply(sent -> () -> ResponseWriter.cut(request.in())));
    over();
  }

  @Override
  public void cutOff(Throwable failure) {
    if (!isSilent) {
      silent(String.valueOf(failure.getMessage()));
    }
    over();
  }

  private void over() {
    if (!isOver) {
      isOver = true;
      request.done(this);
      request.metrics().running().decrement();
      if (running != null) {
        recorder.afterwards(running::close);
      }
      closeBody();
    }
  }

  private void closeBody() {
    heldBody.close();
    if (content != null) {
      content.close();
      content = null;
    }
  }
}
