// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.Answer;
import io.retrysafe.http.BeginResult;
import io.retrysafe.http.Exchange;
import io.retrysafe.http.Header;
import io.retrysafe.http.Plan;
import io.retrysafe.http.ProblemType;
import io.retrysafe.http.body.BodySpool;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A request that passes while somebody counts what would have been done with it. Nothing here can
 * hold it up, change its answer or fail it.
 */
final class Observed implements Passing.Tap {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final Loop loop;
  private final Line line;
  private final Target target;
  private final Plan.ReadBody plan;
  private final BodySpool spool;
  private final Memory.Share share;
  private final CompletableFuture<Exchange> running = new CompletableFuture<>();
  private boolean isTooLarge;
  private boolean isRead;

  private Observed(Loop loop, Line line, Target target, Plan.ReadBody plan) {
    this.loop = loop;
    this.line = line;
    this.target = target;
    this.plan = plan;
    this.spool = plan.spool();
    long most = line.site().config().limits().bodiesMemory();
    this.share = loop.gateway().metrics().bodies().share(most);
  }

  static void start(Loop loop, Line line, Target target, HttpServerRequest in, Plan plan) {
    if (plan instanceof Plan.Refused refused) {
      count(target, RouteCounters.word(refused.answer()));
    }
    Passing.Tap tap =
        plan instanceof Plan.ReadBody readBody ? new Observed(loop, line, target, readBody) : null;
    new Passing(loop, line, target, in, tap).start();
  }

  private static void count(Target target, String word) {
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
          line.site()
              .guard()
              .observe(plan, spool.body(), loop.asCaller())
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

  /** What is observed is never kept: that it is done is all that is known. */
  private static String word(Answer answer) {
    return answer.source() == Answer.Source.NOT_KEPT ? "replayed" : RouteCounters.word(answer);
  }

  @Override
  public void answered(int status, List<Header> headers) {
    if (!isRead) {
      stop();
    }
    end(exchange -> exchange.notKept(status, headers, loop.asCaller()));
  }

  @Override
  public void unreachable() {
    stop();
    end(
        exchange ->
            exchange.refused(ProblemType.UPSTREAM_UNREACHABLE, "Not reached.", loop.asCaller()));
  }

  @Override
  public void cut() {
    stop();
    end(exchange -> exchange.unknown(ProblemType.UPSTREAM_SILENT, "Cut off.", loop.asCaller()));
  }

  /** Holds no more of a body that may never end; nobody says so once it is answered. */
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
