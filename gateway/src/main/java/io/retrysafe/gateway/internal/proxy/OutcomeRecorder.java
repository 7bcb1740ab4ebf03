// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.retrysafe.http.Answer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records how a forwarded request ended, and then answers the client. The steps run one after the
 * other and do not hold the event loop. After the gateway has stopped, nothing is recorded any
 * more.
 */
final class OutcomeRecorder {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.gateway");

  private final RequestContext request;
  private final RouteTarget target;
  private final BooleanSupplier isSilent;
  private CompletableFuture<@Nullable Void> steps = CompletableFuture.completedFuture(null);

  /**
   * Makes a recorder for one request.
   *
   * @param isSilent whether the client was or will be told that the upstream is silent
   */
  OutcomeRecorder(RequestContext request, RouteTarget target, BooleanSupplier isSilent) {
    this.request = request;
    this.target = target;
    this.isSilent = isSilent;
  }

  /** Records with a step, and sends the answer that it returns. */
  void answer(Supplier<CompletionStage<Answer>> step) {
    Function<Answer, Runnable> sending = sending();
    record(() -> step.get().thenApply(sending));
  }

  /** Runs {@code work} after all steps so far, in any thread. */
  void afterwards(Runnable work) {
    steps = steps.whenComplete((ended, failure) -> work.run());
  }

  /** Returns how an answer is sent. An answer that the client no longer gets is not counted. */
  private Function<Answer, Runnable> sending() {
    boolean isLate = isSilent.getAsBoolean() && request.in().response().ended();
    return answer ->
        () -> {
          if (!isLate) {
            target.counters().answered(answer);
          }
          request.send(answer);
        };
  }

  /** Records with a step, and then runs what it returns in the event loop. */
  void record(Supplier<CompletionStage<Runnable>> step) {
    if (request.isStopped()) {
      return;
    }
    steps =
        steps
            .thenCompose(before -> step.get())
            .handle(
                (then, failure) -> {
                  if (failure == null) {
                    request.run(then);
                  } else {
                    failed(failure);
                  }
                  return null;
                });
  }

  private void failed(Throwable failure) {
    LOG.log(System.Logger.Level.ERROR, "a request to " + target.name() + " failed", failure);
    request.run(request::fail);
  }
}
