// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.internal.metrics.BodyBudget;
import io.retrysafe.gateway.internal.wire.BodyRate;
import io.retrysafe.gateway.internal.wire.ResponseWriter;
import io.retrysafe.http.Answer;
import io.retrysafe.http.BeginResult;
import io.retrysafe.http.Plan;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.body.BodySpool;
import io.retrysafe.http.body.RequestBody;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A guarded request until it is decided: its body is read to the end, then the store is asked. All
 * fields belong to the event loop; the store and the disk are asked elsewhere.
 */
final class GuardedCall implements Watchdog.Watched {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");
  private static final String FAILED =
      "The gateway failed; nothing was sent. Send the same request again, with the same key.";

  private final RequestContext request;
  private final RouteTarget target;
  private final HttpServerRequest in;
  private final Plan.ReadBody plan;
  private final BodySpool spool;
  private final BodyBudget.Share share;
  private final long start = System.nanoTime();
  private final long bodyWithin;
  private final BodyRate rate;
  private @Nullable CompletableFuture<BeginResult> waiting;
  private RunningOperations.@Nullable Running running;
  private boolean isRefused;
  private boolean isGone;
  private boolean isWriting;
  private boolean isRead;
  private boolean isLast;

  GuardedCall(RequestContext request, RouteTarget target, Plan.ReadBody plan) {
    this.request = request;
    this.target = target;
    this.in = request.in();
    this.plan = plan;
    this.spool = plan.spool();
    this.share = request.bodyShare();
    this.bodyWithin = request.limits().bodyTimeout().toNanos();
    this.rate = BodyRate.start(request.limits());
  }

  void start() {
    request.watch(this);
    in.handler(this::take);
    in.endHandler(end -> ended());
    in.exceptionHandler(failure -> gone());
    in.response().closeHandler(closed -> gone());
    if (in.headers().contains("Expect")) {
      in.response().writeContinue();
    }
  }

  @Override
  public void check(long now) {
    if (now - start > bodyWithin || rate.isTooSlow(now)) {
      ResponseWriter.cut(in);
      gone();
    }
  }

  // The body

  private void take(Buffer part) {
    rate.took(part.length());
    if (isRefused || isGone) {
      return;
    }
    if (spool.staysInMemory(part.length()) && share.take(part.length())) {
      write(part);
      return;
    }
    spool.leaveMemory();
    isWriting = true;
    in.pause();
    rate.reading(false);
    try {
      later(request.blocking(), () -> write(part), this::written);
    } catch (Throwable e) {
      written();
      notHeld(e);
    }
  }

  private void written() {
    share.close();
    isWriting = false;
    if (isGone) {
      giveUp();
    } else {
      rate.reading(true);
      in.resume();
    }
  }

  private void write(Buffer part) {
    try {
      if (!spool.write(part.getBytes(), 0, part.length())) {
        request.runLater(this::tooLarge);
      }
    } catch (Throwable e) {
      notHeld(e);
    }
  }

  private void notHeld(Throwable cause) {
    LOG.log(System.Logger.Level.ERROR, "a request body could not be held on disk", cause);
    request.runLater(this::notHeld);
  }

  /**
   * Answers that the disk does not hold the body. What still comes is read, else the answer might
   * be lost.
   */
  private void notHeld() {
    if (!isRefused && !isGone) {
      isRefused = true;
      giveUp();
      if (!isRead && in.version() != HttpVersion.HTTP_2) {
        isLast = true;
        in.response().putHeader("Connection", "close");
      }
      answer(request.problem(ProblemType.STORE_UNAVAILABLE, HeldBody.NOT_HELD));
    }
  }

  private void tooLarge() {
    if (!isRefused && !isGone) {
      isRefused = true;
      answer(plan.bodyTooLarge());
    }
  }

  private void ended() {
    request.done(this);
    isRead = true;
    if (isRefused || isGone) {
      giveUp();
      if (isLast) {
        in.connection().close();
      }
      return;
    }
    running = request.beginOperation();
    try {
      if (spool.staysInMemory(0)) {
        begin();
      } else {
        // Its file is closed first.
        request.blocking().execute(this::begin);
      }
    } catch (Throwable e) {
      giveUp();
      failed(e);
    }
  }

  private void gone() {
    if (isGone) {
      return;
    }
    isGone = true;
    request.done(this);
    if (waiting != null) {
      waiting.cancel(false);
    } else if (!isRead && !isWriting) {
      giveUp();
    }
  }

  private void giveUp() {
    share.close();
    try {
      spool.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "a temporary file could not be removed", e);
    }
  }

  // The decision

  /** Begins, in the loop unless the body is on disk. */
  private void begin() {
    HeldBody body;
    try {
      body = new HeldBody(spool.body(), share);
    } catch (IOException e) {
      giveUp();
      over();
      notHeld(e);
      return;
    } catch (Throwable e) {
      giveUp();
      failed(e);
      return;
    }
    request.run(() -> begin(body));
  }

  private void begin(HeldBody body) {
    CompletableFuture<BeginResult> begun;
    try {
      begun = ask(body.body());
    } catch (Throwable e) {
      body.close();
      failed(e);
      return;
    }
    waiting = begun;
    if (isGone) {
      begun.cancel(false);
    }
    CompletableFuture<BeginResult> unused = begun.whenComplete((b, e) -> decided(body, begun));
  }

  private CompletableFuture<BeginResult> ask(RequestBody body) {
    Plan.ReadBody asked = plan;
    if (target.lookup() != null || target.authorize() != null) {
      UpstreamQuery query = new UpstreamQuery(request, target);
      asked = asked.check(query);
      if (target.lookup() != null) {
        asked = asked.lookup(query.lookup(target.lookup()));
      }
    }
    return request.guard().beginAsync(asked, body, request.caller());
  }

  private void decided(HeldBody body, CompletableFuture<BeginResult> begun) {
    request.run(
        () -> {
          waiting = null;
          if (begun.isCompletedExceptionally()) {
            body.close();
            failed(begun.handle((b, e) -> e).join());
            return;
          }
          BeginResult result = begun.join();
          if (result instanceof BeginResult.Run run) {
            new ForwardedCall(request, target, run.exchange(), body, running).start();
          } else if (result instanceof BeginResult.Answered answered) {
            body.close();
            over();
            answer(answered.answer());
          }
        });
  }

  /** Answers a request that failed before anything of it was sent. */
  private void failed(@Nullable Throwable failure) {
    over();
    if (failure instanceof java.util.concurrent.CancellationException) {
      return;
    }
    if (failure instanceof UncheckedIOException unreadable) {
      notHeld(unreadable);
      return;
    }
    LOG.log(System.Logger.Level.ERROR, "a request to " + target.name() + " failed", failure);
    request.run(() -> answer(request.problem(ProblemType.STORE_UNAVAILABLE, FAILED)));
  }

  private void over() {
    if (running != null) {
      running.close();
    }
  }

  private void answer(Answer answer) {
    target.counters().answered(answer);
    request.send(answer);
  }

  private void later(Executor executor, Runnable work, Runnable then) {
    executor.execute(
        () -> {
          try {
            work.run();
          } finally {
            request.runLater(then);
          }
        });
  }
}
