// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Runs work as an adapter with an event loop does: {@link Retrysafe#beginAsync}, and the endings
 * that hold no thread.
 */
public final class AsyncRunning {

  /** Where it runs. */
  public interface Place {
    /** Returns the loop. */
    EventLoop loop();

    /** Calls in the loop. */
    <T> T inLoop(Supplier<T> call);

    /** Waits until {@code future} is done. */
    void awaitEnd(CompletableFuture<?> future);

    /** Waits until {@code future} is done or the client is gone; the caller looks which. */
    void awaitUnlessGone(CompletableFuture<?> future);
  }

  private final Retrysafe engine;
  private final Place place;

  public AsyncRunning(Retrysafe engine, Place place) {
    this.engine = engine;
    this.place = place;
  }

  /** Returns the answer of the operation, or throws as {@link Retrysafe#run} does. */
  public String run(
      OperationKey key,
      Fingerprint fingerprint,
      Policy policy,
      Work<String, RuntimeException> work) {
    CompletableFuture<Decision> begun =
        place.inLoop(() -> engine.beginAsync(key, fingerprint, policy, place.loop()));
    place.awaitUnlessGone(begun);
    if (!begun.isDone() && !place.inLoop(() -> begun.cancel(false))) {
      // The store is deciding; whatever it says has to be used.
      place.awaitEnd(begun);
    }
    if (begun.isCancelled()) {
      throw new InProgressException(key, Claims.SOON);
    }
    Decision decision = Futures.result(begun);
    return decision instanceof Decision.Granted granted
        ? execute(granted.operation(), work)
        : new Running<String, RuntimeException>(key, Codec.string(), work).run(decision);
  }

  private String execute(Operation operation, Work<String, RuntimeException> work) {
    String result;
    try {
      result = work.run(operation);
    } catch (RuntimeException failure) {
      return failed(operation, failure);
    }
    if (operation.isEnded()) {
      return result;
    }
    Outcome outcome = Outcome.of(Codec.string().encode(result));
    Ending ending = end(() -> operation.completeAsync(outcome, place.loop()));
    if (ending instanceof Ending.Superseded superseded) {
      return Outcomes.result(operation.key(), superseded.outcome(), Codec.string());
    }
    if (ending instanceof Ending.Lost) {
      throw new OutcomeUnknownException(operation.key(), null);
    }
    return result;
  }

  private String failed(Operation operation, RuntimeException failure) {
    if (operation.isEnded()) {
      throw failure;
    }
    boolean isUnknown = operation.isUnknownAfter(failure);
    Ending ending =
        end(
            () ->
                isUnknown
                    ? operation.unknownAsync(place.loop())
                    : operation.failAsync(Outcomes.failed(failure), place.loop()));
    if (ending instanceof Ending.Superseded superseded) {
      return Outcomes.result(operation.key(), superseded.outcome(), Codec.string());
    }
    if (ending instanceof Ending.Lost) {
      throw new OutcomeUnknownException(operation.key(), failure);
    }
    throw failure;
  }

  /** Ends an operation in the loop, and waits until that is done. */
  public static Ending end(Place place, Supplier<CompletionStage<Ending>> call) {
    CompletableFuture<Ending> ending = place.inLoop(call).toCompletableFuture();
    place.awaitEnd(ending);
    return Futures.result(ending);
  }

  private Ending end(Supplier<CompletionStage<Ending>> call) {
    return end(place, call);
  }
}
