// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.gateway.internal.metrics.BodyBudget;
import io.retrysafe.gateway.internal.metrics.RouteCounters;
import io.retrysafe.http.Answer;
import io.retrysafe.http.BeginResult;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.retrysafe.http.Plan;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.body.BodySpool;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A request that passes in observe mode, while the gateway counts what it would have done.
 * Observing never delays the request, changes its answer or fails it.
 */
final class ObservedCall implements PassingCall.Observer {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final RequestContext request;
  private final RouteTarget target;
  private final Plan.ReadBody plan;
  private final BodySpool spool;
  private final BodyBudget.Share share;
  private final CompletableFuture<Exchange> running = new CompletableFuture<>();
  private boolean isTooLarge;
  private boolean isRead;

  private ObservedCall(RequestContext request, RouteTarget target, Plan.ReadBody plan) {
    this.request = request;
    this.target = target;
    this.plan = plan;
    this.spool = plan.spool();
    this.share = request.bodyShare();
  }

  static void start(RequestContext request, RouteTarget target, Plan plan) {
    if (plan instanceof Plan.Refused refused) {
      count(target, RouteCounters.word(refused.answer()));
    }
    PassingCall.Observer observer =
        plan instanceof Plan.ReadBody readBody ? new ObservedCall(request, target, readBody) : null;
    new PassingCall(request, target, observer).start();
  }

  private static void count(RouteTarget target, String word) {
    target.counters().observed(word);
    if (!word.equals("first")) {
      LOG.log(System.Logger.Level.INFO, "observed on {0}: {1}", target.name(), word);
    }
  }

  @Override
  public void body(Buffer part) {
    try {
      if (!isTooLarge && spool.staysInMemory(part.length()) && share.take(part.length())) {
        spool.write(part.getBytes(), 0, part.length());
      } else {
        isTooLarge = true;
      }
    } catch (IOException e) {
      isTooLarge = true;
    }
  }

  @Override
  public void bodyEnded() {
    isRead = true;
    if (isTooLarge) {
      share.close();
      count(target, "not-observed");
      return;
    }
    ask();
  }

  private void ask() {
    try {
      CompletableFuture<Void> unused =
          request
              .guard()
              .observe(plan, spool.body(), request.caller())
              .handle(
                  (begun, failure) -> {
                    share.close();
                    if (begun instanceof BeginResult.Run run) {
                      count(target, "first");
                      running.complete(run.exchange());
                    } else if (begun instanceof BeginResult.Answered answered) {
                      count(target, word(answered.answer()));
                    } else {
                      count(target, ProblemType.STORE_UNAVAILABLE.word());
                    }
                    return null;
                  });
    } catch (IOException | RuntimeException e) {
      share.close();
      LOG.log(System.Logger.Level.WARNING, "a request could not be observed", e);
    }
  }

  /**
   * Returns the label of an answer. Observe mode keeps no answers, so it counts "not kept" as a
   * replay.
   */
  private static String word(Answer answer) {
    return answer.source() == Answer.Source.NOT_KEPT ? "replayed" : RouteCounters.word(answer);
  }

  @Override
  public void answered(int status, List<Header> headers) {
    if (!isRead) {
      stop();
    }
    end(exchange -> exchange.notKept(status, headers, request.caller()));
  }

  @Override
  public void unreachable() {
    stop();
    end(
        exchange ->
            exchange.refused(ProblemType.UPSTREAM_UNREACHABLE, "Not reached.", request.caller()));
  }

  @Override
  public void cut() {
    stop();
    end(exchange -> exchange.unknown(ProblemType.UPSTREAM_SILENT, "Cut off.", request.caller()));
  }

  /** Stops holding the body, which may never end after the answer. */
  private void stop() {
    isTooLarge = true;
    share.close();
  }

  private void end(Function<Exchange, CompletionStage<Answer>> how) {
    CompletableFuture<Answer> unused =
        running
            .thenCompose(how)
            .exceptionally(
                failure -> {
                  LOG.log(System.Logger.Level.WARNING, "a request could not be observed", failure);
                  return null;
                });
  }
}
