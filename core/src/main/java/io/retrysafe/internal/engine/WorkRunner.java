// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Bytes;
import io.retrysafe.ClaimLostException;
import io.retrysafe.Codec;
import io.retrysafe.Decision;
import io.retrysafe.Decision.Granted;
import io.retrysafe.Decision.InProgress;
import io.retrysafe.Decision.Mismatch;
import io.retrysafe.Decision.OutcomeUnknown;
import io.retrysafe.Decision.Replay;
import io.retrysafe.Ending;
import io.retrysafe.InProgressException;
import io.retrysafe.MismatchException;
import io.retrysafe.OnFailure;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.RetrysafeException;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.Work;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs work under a decision and gives its caller the operation's one answer. */
final class WorkRunner<T extends @Nullable Object, X extends Exception> {
  private final OperationKey key;
  private final Codec<T> codec;
  private final Work<T, X> work;

  WorkRunner(OperationKey key, Codec<T> codec, Work<T, X> work) {
    this.key = key;
    this.codec = codec;
    this.work = work;
  }

  T run(Decision decision) throws X {
    if (decision instanceof Granted granted) {
      return execute(ClaimedOperation.of(granted));
    }
    if (decision instanceof Replay replay) {
      return Outcomes.result(key, replay.outcome(), codec);
    }
    throw rejected(decision);
  }

  private RetrysafeException rejected(Decision decision) {
    if (decision instanceof InProgress inProgress) {
      return new InProgressException(key, inProgress.retryAfter());
    }
    if (decision instanceof Mismatch) {
      return new MismatchException(key);
    }
    if (decision instanceof OutcomeUnknown) {
      return new OutcomeUnknownException(key, null);
    }
    throw new IllegalStateException("not a rejection: " + decision);
  }

  private T execute(ClaimedOperation operation) throws X {
    T result;
    try {
      result = work.run(operation);
    } catch (Throwable failure) {
      Outcome recorded = failed(operation, failure);
      if (recorded == null) {
        throw failure;
      }
      return Outcomes.result(key, recorded, codec);
    }
    if (operation.isEnded()) {
      return result;
    }
    Optional<Outcome> failure = operation.steps().failure();
    if (failure.isPresent()) {
      // An earlier attempt failed for good and was being undone; this one only walked through its
      // steps.
      Ending ending = operation.fail(failure.get());
      if (ending instanceof Ending.Superseded || ending instanceof Ending.Lost) {
        return answer(ending, result);
      }
      throw Outcomes.failure(key, failure.get());
    }
    return answer(operation.complete(outcome(operation, result)), result);
  }

  /**
   * A result that cannot be encoded was still reached: the operation is done, only its answer
   * cannot be kept.
   */
  private Outcome outcome(ClaimedOperation operation, T result) {
    try {
      return Outcome.of(codec.encode(result));
    } catch (RuntimeException e) {
      operation.complete(Outcome.of(Bytes.EMPTY).withoutAnswer());
      throw e;
    }
  }

  private T answer(Ending ending, T own) {
    if (ending instanceof Ending.Superseded superseded) {
      return Outcomes.result(key, superseded.outcome(), codec);
    }
    if (ending instanceof Ending.Lost) {
      throw new OutcomeUnknownException(key, null);
    }
    return own;
  }

  /**
   * Ends an operation whose work threw. Returns the outcome that another attempt recorded
   * meanwhile, if any.
   */
  private @Nullable Outcome failed(ClaimedOperation operation, Throwable failure) {
    if (operation.isEnded()) {
      return null;
    }
    boolean isUnknown = operation.isUnknownAfter(failure);
    Ending ending;
    try {
      ending = end(operation, failure, isUnknown);
    } catch (StoreUnavailableException e) {
      // A failure that is not recorded is not known to be one: a retry may still succeed.
      e.addSuppressed(failure);
      throw e;
    }
    if (ending instanceof Ending.Superseded superseded) {
      return superseded.outcome();
    }
    boolean isOpen = !isUnknown && isOpen(operation, ending, failure);
    if (ending instanceof Ending.Lost || isOpen) {
      throw new OutcomeUnknownException(key, failure);
    }
    return null;
  }

  /** Returns whether a failure that was to be kept is not the end, and a retry may yet succeed. */
  private static boolean isOpen(ClaimedOperation operation, Ending ending, Throwable failure) {
    boolean isSaid = operation.steps().broken().filter(broken -> broken == failure).isPresent();
    return !isSaid
        && ending instanceof Ending.Left
        && operation.policy().failures() == OnFailure.KEEP
        && operation.steps().failure().isEmpty();
  }

  private Ending end(ClaimedOperation operation, Throwable failure, boolean isUnknown) {
    if (failure instanceof ClaimLostException && !operation.isCurrent()) {
      return operation.stop();
    }
    return isUnknown ? operation.unknown() : operation.fail(Outcomes.failed(failure));
  }
}
