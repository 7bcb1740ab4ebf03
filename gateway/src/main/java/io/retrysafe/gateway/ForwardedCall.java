// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.handler.codec.http.HttpResponse;
import io.retrysafe.http.Answer;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
 * <p>All fields belong to the event loop; the exchange is ended without holding it, one step after
 * another.
 */
final class ForwardedCall implements Loop.Timed, UpstreamCall.Listener {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final Loop loop;
  private final Line line;
  private final Target target;
  private final HttpServerRequest in;
  private final Exchange exchange;
  private final RequestBody body;
  private final HeldBody heldBody;
  private final RunningOperations.@Nullable Running running;
  private final long answerWithin;
  private final long lateWithin;
  private final long start = System.nanoTime();
  private long heard = start;
  private long silentSince;
  private @Nullable AsyncFile content;
  private @Nullable UpstreamCall out;
  private @Nullable HeldAnswer held;
  private CompletableFuture<@Nullable Void> ending = CompletableFuture.completedFuture(null);
  private boolean isSilent;
  private boolean isOver;

  ForwardedCall(
      Loop loop,
      Line line,
      Target target,
      HttpServerRequest in,
      Exchange exchange,
      HeldBody body,
      RunningOperations.@Nullable Running running) {
    this.running = running;
    this.loop = loop;
    this.line = line;
    this.target = target;
    this.in = in;
    this.exchange = exchange;
    this.heldBody = body;
    this.body = body.body();
    Limits limits = line.site().config().limits();
    this.answerWithin = limits.answerTimeout().toNanos();
    this.lateWithin = limits.lateWithin().toNanos() - answerWithin;
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

  /** Returns how long a pause in an answer without a length may be, in nanoseconds. */
  long pause() {
    return loop.gateway().longestPause().toNanos();
  }

  /** Returns whether the caller was told already that the upstream is silent. */
  boolean isSilent() {
    return isSilent;
  }

  void start() {
    loop.gateway().metrics().running().increment();
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
              line.guarded().call(target.endpoint(), this);
            });
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

  private void notHeld(Throwable failure) {
    LOG.log(System.Logger.Level.ERROR, "a request body could not be held on disk", failure);
    end(() -> exchange.refused(ProblemType.STORE_UNAVAILABLE, HeldBody.NOT_HELD, loop.asCaller()));
    over();
  }

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
    heard();
    loop.watch(this);
    if (content == null) {
      call.send(head, bytes);
    } else {
      call.send(head, content, false);
    }
  }

  /** Returns the head of the request, in which the operation is named as the route says. */
  private HeadWriter head(UpstreamCall call) {
    String key = exchange.route().keyHeader();
    List<String> without = target.forwardKey() == ForwardKey.SAME ? List.of() : List.of(key);
    HeadWriter head = target.head(call, in.method().name(), Strictness.origin(in), in, without);
    if (target.forwardKey() == ForwardKey.DERIVED) {
      exchange.operation().ifPresent(o -> head.add(key, o.downstreamKey(Questions.DOWNSTREAM)));
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
    end(
        () ->
            exchange.refused(
                ProblemType.UPSTREAM_UNREACHABLE,
                "The service could not be reached; nothing was sent. Send the same request again,"
                    + " with the same key.",
                loop.asCaller()));
    over();
  }

  @Override
  public void head(HttpResponse answer) {
    heard();
    held = new HeldAnswer(this, answer);
    held.start();
  }

  @Override
  public void part(Buffer part) {
    heard();
    if (held != null) {
      held.take(part);
    }
  }

  @Override
  public void ended() {
    heard();
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
    } else if (isSilent && now - silentSince > lateWithin) {
      // Also if it is in the middle of an answer: a lookup may ask about the operation from now on.
      giveUp();
    }
  }

  /** Waits no longer for the upstream. */
  void giveUp() {
    if (out != null) {
      out.reset();
    }
  }

  /** Reads the answer no faster than its client does. */
  void reading(boolean isWanted) {
    if (out != null && isWanted) {
      out.resume();
    } else if (out != null) {
      out.pause();
    }
  }

  /** Is told that the upstream, which may have acted, will not say more. */
  void cutOff(Throwable failure) {
    if (!isSilent) {
      silent(String.valueOf(failure.getMessage()));
    }
    over();
  }

  private void silent(String why) {
    isSilent = true;
    silentSince = System.nanoTime();
    LOG.log(System.Logger.Level.WARNING, "{0} was sent a request and {1}", target, why);
    end(
        () ->
            exchange.unknown(
                ProblemType.UPSTREAM_SILENT,
                "The service was sent the request and did not answer. Nobody knows whether it did"
                    + " what was asked: do not use a new key.",
                loop.asCaller()));
  }

  /** Ends with a whole answer, on time or late. */
  void whole(int status, List<Header> headers, Buffer answer, Memory.Share share) {
    target.counters().called(System.nanoTime() - start);
    // Before the answer is sent: then nothing of the request is left.
    closeBody();
    io.retrysafe.Bytes bytes = io.retrysafe.Bytes.wrap(answer.getBytes());
    end(() -> exchange.answered(status, headers, bytes, loop.asCaller()));
    ending = ending.whenComplete((ended, failure) -> share.close());
    over();
  }

  /** Ends with an answer that has left, or is too large for a late one. */
  void streamed(int status, List<Header> headers, Runnable then) {
    target.counters().called(System.nanoTime() - start);
    target.counters().result("streamed");
    next(() -> exchange.notKept(status, headers, loop.asCaller()).thenApply(sent -> then));
    over();
  }

  /** Ends with an answer that broke off after it had begun to leave. */
  void brokenOff() {
    isSilent = true;
    LOG.log(System.Logger.Level.WARNING, "{0} broke off in the middle of its answer", target);
    next(
        () ->
            exchange
                .unknown(ProblemType.UPSTREAM_SILENT, "The answer broke off.", loop.asCaller())
                .thenApply(sent -> () -> Sending.cut(in)));
    over();
  }

  private void end(Supplier<CompletionStage<Answer>> step) {
    Function<Answer, Runnable> sending = sending();
    next(() -> step.get().thenApply(sending));
  }

  /** Returns how an answer is sent, in the loop. */
  private Function<Answer, Runnable> sending() {
    boolean isLate = isSilent && in.response().ended();
    return answer ->
        () -> {
          if (!isLate) {
            target.counters().answered(answer);
          }
          loop.send(in, answer);
        };
  }

  /** Takes a step that holds no thread, after those before it; then the rest here. */
  private void next(Supplier<CompletionStage<Runnable>> step) {
    if (loop.gateway().isStopped()) {
      return;
    }
    ending =
        ending
            .thenCompose(before -> step.get())
            .handle(
                (then, failure) -> {
                  if (failure == null) {
                    loop.onLoop(in, then);
                  } else {
                    failed(failure);
                  }
                  return null;
                });
  }

  private void failed(Throwable failure) {
    LOG.log(System.Logger.Level.ERROR, "a request of " + target.name() + " failed", failure);
    loop.onLoop(in, () -> Front.failed(loop, in));
  }

  private void over() {
    if (!isOver) {
      isOver = true;
      loop.done(this);
      loop.gateway().metrics().running().decrement();
      CompletableFuture<@Nullable Void> unused =
          ending.whenComplete(
              (ended, failure) -> {
                if (running != null) {
                  running.close();
                }
              });
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
