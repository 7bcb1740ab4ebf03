// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.Answer;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.RequestBody;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.AsyncFile;
import io.vertx.core.file.OpenOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A guarded request that runs: it is sent to its upstream once, and ends with what the upstream
 * said.
 *
 * <p><b>Sent or not.</b> Until there is a connection nothing was sent, and the key is free again.
 * From the moment on in which the request is written nobody but the upstream knows what happened:
 * whatever goes wrong then leaves the outcome unknown, also on a connection that was used before
 * and that the upstream may have closed meanwhile. Nothing is ever sent a second time.
 *
 * <p><b>Late.</b> The caller of an upstream that stays silent is told so, but the connection is
 * kept: an answer that comes after all is recorded.
 *
 * <p>All fields belong to the event loop; the exchange is ended elsewhere, one step after another.
 */
final class ForwardedCall implements Loop.Timed {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final int LATE = 10;

  private final Loop loop;
  private final Line line;
  private final Target target;
  private final HttpServerRequest in;
  private final Exchange exchange;
  private final RequestBody body;
  private final HeldBody heldBody;
  private final long answerWithin;
  private final long start = System.nanoTime();
  private long heard = start;
  private @Nullable HttpClientRequest out;
  private @Nullable HeldAnswer held;
  private CompletableFuture<@Nullable Void> ending = CompletableFuture.completedFuture(null);
  private boolean isSilent;
  private boolean isOver;

  ForwardedCall(
      Loop loop, Line line, Target target, HttpServerRequest in, Exchange exchange, HeldBody body) {
    this.loop = loop;
    this.line = line;
    this.target = target;
    this.in = in;
    this.exchange = exchange;
    this.heldBody = body;
    this.body = body.body();
    this.answerWithin = line.site().config().limits().answerTimeout().toNanos();
  }

  Loop loop() {
    return loop;
  }

  HttpServerRequest in() {
    return in;
  }

  Exchange exchange() {
    return exchange;
  }

  /** Returns what the answer may hold of the memory for all of them. */
  Memory.Share answerShare() {
    long most = line.site().config().limits().answersMemory();
    return loop.gateway().metrics().answers().share(most);
  }

  /** Returns whether the caller was told already that the upstream is silent. */
  boolean isSilent() {
    return isSilent;
  }

  void start() {
    loop.gateway().metrics().running().increment();
    RequestOptions options = target.request(in.method(), Strictness.origin(in));
    content()
        .onFailure(this::unreachable)
        .onSuccess(
            content ->
                line.guarded()
                    .request(options)
                    .onSuccess(request -> send(request, content))
                    .onFailure(
                        failure -> {
                          close(content);
                          unreachable(failure);
                        }));
  }

  /** Names the operation to the upstream as the route says. */
  private void key(HttpClientRequest request) {
    String header = exchange.route().keyHeader();
    if (target.forwardKey() != ForwardKey.SAME) {
      request.headers().remove(header);
    }
    if (target.forwardKey() == ForwardKey.DERIVED) {
      exchange
          .operation()
          .ifPresent(o -> request.putHeader(header, o.downstreamKey(Questions.DOWNSTREAM)));
    }
  }

  /** Opens the body before anything is sent. */
  private Future<@Nullable AsyncFile> content() {
    return body.file()
        .map(
            file ->
                loop.files()
                    .open(file.toString(), new OpenOptions().setRead(true).setWrite(false))
                    .<@Nullable AsyncFile>map(open -> open))
        .orElseGet(Future::succeededFuture);
  }

  private void send(HttpClientRequest request, @Nullable AsyncFile content) {
    Buffer bytes;
    try {
      target.head(in, request);
      key(request);
      request.putHeader("Content-Length", String.valueOf(body.size()));
      bytes = content == null ? bytes() : Buffer.buffer();
    } catch (RuntimeException e) {
      // Nothing was written yet.
      request.reset();
      close(content);
      unreachable(e);
      return;
    }
    out = request;
    heard();
    loop.watch(this);
    request.response().onComplete(this::answered);
    if (content == null) {
      request.end(bytes);
    } else {
      content
          .pipeTo(request)
          .onFailure(failure -> request.reset())
          .onComplete(sent -> close(content));
    }
  }

  private static void close(@Nullable AsyncFile content) {
    if (content != null) {
      content.close();
    }
  }

  private Buffer bytes() {
    try (InputStream bytes = body.open()) {
      return Buffer.buffer(bytes.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void unreachable(Throwable failure) {
    LOG.log(System.Logger.Level.WARNING, "{0} could not be reached: {1}", target, failure);
    end(
        () ->
            exchange.refused(
                ProblemType.UPSTREAM_UNREACHABLE,
                "The service could not be reached; nothing was sent. Send the same request again,"
                    + " with the same key."));
    over();
  }

  private void answered(AsyncResult<HttpClientResponse> answered) {
    if (answered.failed()) {
      cut(answered.cause());
    } else {
      heard();
      held = new HeldAnswer(this, answered.result());
      held.start();
    }
  }

  /** Takes note of a sign of life. */
  void heard() {
    heard = System.nanoTime();
  }

  @Override
  public void look(long now) {
    long silence = now - heard;
    if (held != null && held.isLeaving()) {
      if (silence > answerWithin) {
        heard();
        held.stalled();
      }
    } else if (silence > answerWithin && !isSilent) {
      silent("did not answer in time");
    } else if (silence > answerWithin * LATE && out != null) {
      out.reset();
    }
  }

  /** Is told that the upstream, which may have acted, will not say more. */
  void cut(Throwable failure) {
    if (!isSilent) {
      silent(String.valueOf(failure.getMessage()));
    }
    over();
  }

  private void silent(String why) {
    isSilent = true;
    LOG.log(System.Logger.Level.WARNING, "{0} was sent a request and {1}", target, why);
    end(
        () ->
            exchange.unknown(
                ProblemType.UPSTREAM_SILENT,
                "The service was sent the request and did not answer. Nobody knows whether it did"
                    + " what was asked: do not use a new key."));
  }

  /** Ends with a whole answer, on time or late. */
  void whole(int status, List<Header> headers, Buffer answer, Memory.Share share) {
    target.counters().called(System.nanoTime() - start);
    io.retrysafe.Bytes bytes = io.retrysafe.Bytes.wrap(answer.getBytes());
    nextLater(
        () -> exchange.answered(status, headers, bytes, loop.asCaller()).thenApply(sending()));
    ending = ending.whenComplete((ended, failure) -> share.close());
    over();
  }

  /** Ends with an answer that has left, or is too large for a late one. */
  void streamed(int status, List<Header> headers, Runnable then) {
    target.counters().called(System.nanoTime() - start);
    target.counters().result("streamed");
    next(
        () -> {
          exchange.notKept(status, headers);
          return then;
        });
    over();
  }

  /** Ends with an answer that broke off after it had begun to leave. */
  void brokenOff() {
    isSilent = true;
    LOG.log(System.Logger.Level.WARNING, "{0} broke off in the middle of its answer", target);
    next(
        () -> {
          exchange.unknown(ProblemType.UPSTREAM_SILENT, "The answer broke off.");
          return () -> Sending.cut(in);
        });
    over();
  }

  private void end(Supplier<Answer> step) {
    Function<Answer, Runnable> sending = sending();
    next(() -> sending.apply(step.get()));
  }

  /** Returns how an answer is sent, in the loop. */
  private Function<Answer, Runnable> sending() {
    boolean isLate = isSilent && in.response().ended();
    return answer ->
        () -> {
          if (!isLate) {
            target.counters().answered(answer);
          }
          Sending.send(in, answer);
        };
  }

  /** Runs a step where the store may be asked, after those before it; then the rest here. */
  private void next(Supplier<Runnable> step) {
    Executor executor = loop.gateway().calls().ofStore();
    nextLater(() -> CompletableFuture.supplyAsync(step, executor));
  }

  /** Takes a step that holds no thread, after those before it; then the rest here. */
  private void nextLater(Supplier<CompletionStage<Runnable>> step) {
    if (loop.gateway().isStopped()) {
      return;
    }
    ending =
        ending
            .thenCompose(before -> step.get())
            .handle(
                (then, failure) -> {
                  if (failure == null) {
                    loop.onLoop(then);
                  } else {
                    failed(failure);
                  }
                  return null;
                });
  }

  private void failed(Throwable failure) {
    LOG.log(System.Logger.Level.ERROR, "a request of " + target.name() + " failed", failure);
    loop.onLoop(() -> Sending.cut(in));
  }

  private void over() {
    if (!isOver) {
      isOver = true;
      loop.done(this);
      loop.gateway().metrics().running().decrement();
      heldBody.close();
    }
  }
}
