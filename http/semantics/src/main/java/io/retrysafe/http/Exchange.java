// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import io.retrysafe.Bytes;
import io.retrysafe.Ending;
import io.retrysafe.EventLoop;
import io.retrysafe.Operation;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.http.settings.OnFailure;
import io.retrysafe.http.settings.Settings;
import io.retrysafe.http.settings.StoreSilent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A request whose handler runs. It is ended once, by any thread, with {@link #answered}, {@link
 * #failed}, {@link #refused} or {@link #unknown}, which return what to send, after it is recorded;
 * or, where the answer has left before, with {@link #notKept} or {@link #brokenOff}. They block for
 * the store's answer; those that take an {@link EventLoop} do not.
 */
public final class Exchange {
  private final Route route;
  private final @Nullable Operation operation;
  private final @Nullable Credential credential;
  private final Runnable whenEnded;
  private final AtomicBoolean isEnded = new AtomicBoolean();
  private final long start;
  private final LongSupplier nanos;
  private volatile @Nullable OutcomeKind said;
  private volatile @Nullable Throwable thrown;
  private volatile boolean isLeftUnknown;
  private volatile @Nullable HandlerTransaction joined;

  /** No operation: the store is silent and the route said to go on without protection. */
  Exchange(
      Route route,
      @Nullable Operation operation,
      @Nullable Credential credential,
      LongSupplier nanos,
      Runnable whenEnded) {
    this.route = route;
    this.operation = operation;
    this.credential = credential;
    this.whenEnded = whenEnded;
    this.nanos = nanos;
    this.start = nanos.getAsLong();
  }

  /** Returns the route. */
  public Route route() {
    return route;
  }

  /**
   * Returns the operation, for the handler's steps and downstream keys; the adapter must not end
   * it. Nothing where the handler runs without protection because the store is silent.
   */
  public Optional<Operation> operation() {
    return Optional.ofNullable(operation);
  }

  /** Sets what the handler's answer will mean. It counts more than the status. */
  public void outcome(OutcomeKind kind) {
    said = kind;
  }

  /**
   * Sets what the handler threw, before the answer that the framework makes of it ends the
   * exchange. If that answer means a failure, and the policy's {@link HttpPolicy#unknownOn} says so
   * of the exception, the outcome is unknown: the caller gets the answer, retries get {@code
   * outcome-unknown}.
   */
  public void threw(Throwable failure) {
    thrown = failure;
  }

  /**
   * Sets the transaction in which the handler runs and which records its answer too. No byte of
   * that answer may leave before this exchange was ended: until then nothing is committed.
   */
  public void join(HandlerTransaction joined) {
    if (operation == null) {
      throw new IllegalStateException(
          "a request of " + route + " runs without protection; there is nothing to be joined");
    }
    operation.settleWith(joined);
    this.joined = joined;
  }

  /** Returns whether the handler runs in a transaction that records its answer too. */
  public boolean isJoined() {
    return joined != null;
  }

  /** Returns how many bytes of body are kept; a longer answer need not be held back. */
  public int answerLimit() {
    return route.policy().get(Settings.ANSWER_LIMIT).intValue();
  }

  /** Returns whether an answer with these headers is kept at all; an event stream is not. */
  public boolean mayBeKept(List<Header> headers) {
    String type = Headers.mediaType(headers);
    return !type.equals("text/event-stream") && !type.equals("multipart/x-mixed-replace");
  }

  /** Ends with the handler's whole answer and returns what to send. */
  public Answer answered(int status, List<Header> headers, Bytes body) {
    return now(answer(status, headers, body, null));
  }

  /**
   * Ends as {@link #answered(int, List, Bytes)} does, without holding the loop. What to send comes
   * in the calling thread before this returns, or in the loop.
   */
  public CompletionStage<Answer> answered(
      int status, List<Header> headers, Bytes body, EventLoop loop) {
    return answer(status, headers, body, loop);
  }

  private CompletionStage<Answer> answer(
      int status, List<Header> headers, Bytes body, @Nullable EventLoop loop) {
    OutcomeKind kind = kind(status, headers);
    List<Attribute> attributes = route.storedHeaders().attributes(headers);
    Answer own = new Answer(status, sendable(headers), body, Answer.Source.HANDLER);
    return end(kind, Outcome.of(status, attributes, body), own, loop);
  }

  /** The work ran and the store is silent: its record is pending. */
  private Answer pending(Answer own) {
    boolean isOpen = route.policy().get(Settings.STORE_SILENT) == StoreSilent.OPEN;
    return isOpen && joined == null ? own : route.answers().storeUnavailable(true);
  }

  /**
   * Ends with an answer that has left already: a stream, an early flush, or too much to keep.
   * Called at its end; a crash before that leaves the operation unknown.
   */
  public void notKept(int status, List<Header> headers) {
    Answer unused = now(left(status, headers, null));
  }

  /** Ends as {@link #notKept(int, List)} does, without holding the loop. */
  public CompletionStage<Answer> notKept(int status, List<Header> headers, EventLoop loop) {
    return left(status, headers, loop);
  }

  private CompletionStage<Answer> left(int status, List<Header> headers, @Nullable EventLoop loop) {
    Outcome outcome = Outcome.of(status, List.of(), Bytes.EMPTY).withoutAnswer();
    Answer sent = new Answer(status, List.of(), Bytes.EMPTY, Answer.Source.HANDLER);
    return end(kind(status, headers), outcome, sent, loop);
  }

  /**
   * Ends with a handler that threw after its answer had begun to leave: failed, and not kept.
   *
   * @param isClientGone whether it threw because the client has left; then the outcome is unknown
   */
  public void brokenOff(int status, boolean isClientGone) {
    Outcome outcome = Outcome.of(status, List.of(), Bytes.EMPTY).withoutAnswer();
    Answer sent = new Answer(status, List.of(), Bytes.EMPTY, Answer.Source.HANDLER);
    OutcomeKind told = said;
    OutcomeKind failed = isClientGone || isUnknown() ? OutcomeKind.UNKNOWN : OutcomeKind.FAILED;
    Answer unused = now(end(told == null ? failed : told, outcome, sent, null));
  }

  /** Ends with what the handler threw and returns what to send: 500 {@code operation-failed}. */
  public Answer failed(Throwable failure) {
    threw(failure);
    OutcomeKind kind = said;
    if (kind == null) {
      kind = isUnknown() ? OutcomeKind.UNKNOWN : OutcomeKind.FAILED;
    }
    boolean isKept = route.policy().get(Settings.FAILURES) == OnFailure.KEEP;
    Answer own =
        route
            .answers()
            .of(
                Problem.of(ProblemType.OPERATION_FAILED, "The operation ended with an error.")
                    .retryable(!isKept && kind != OutcomeKind.UNKNOWN));
    if (failure instanceof StoreUnavailableException silence
        && operation != null
        && operation.key().equals(silence.key())) {
      // A step ran and could not be remembered.
      kind = OutcomeKind.UNKNOWN;
    }
    return now(end(kind, problemOutcome(own), own, null));
  }

  /** Ends before any effect and returns the problem to send; the key is free again. */
  public Answer refused(ProblemType type, String detail) {
    return now(refuse(type, detail, null));
  }

  /** Ends as {@link #refused(ProblemType, String)} does, without holding the loop. */
  public CompletionStage<Answer> refused(ProblemType type, String detail, EventLoop loop) {
    return refuse(type, detail, loop);
  }

  private CompletionStage<Answer> refuse(
      ProblemType type, String detail, @Nullable EventLoop loop) {
    Answer own = route.answers().nothingRan(type, detail);
    return end(OutcomeKind.REFUSED, problemOutcome(own), own, loop);
  }

  /** Ends without knowing whether there was an effect, and returns the problem to send. */
  public Answer unknown(ProblemType type, String detail) {
    return now(leaveUnknown(type, detail, null));
  }

  /** Ends as {@link #unknown(ProblemType, String)} does, without holding the loop. */
  public CompletionStage<Answer> unknown(ProblemType type, String detail, EventLoop loop) {
    return leaveUnknown(type, detail, loop);
  }

  private CompletionStage<Answer> leaveUnknown(
      ProblemType type, String detail, @Nullable EventLoop loop) {
    Answer own = route.answers().of(type, detail);
    return end(OutcomeKind.UNKNOWN, problemOutcome(own), own, loop);
  }

  private Outcome problemOutcome(Answer answer) {
    return Outcome.of(
        answer.status(), route.storedHeaders().attributes(answer.headers()), answer.body());
  }

  /** Returns a handler's header lines as they are sent on, also where the answer is not kept. */
  public List<Header> sendable(List<Header> headers) {
    List<Header> sent = new ArrayList<>(headers);
    sent.removeIf(h -> h.is(OutcomeKind.HEADER) || h.is("Idempotent-Replayed"));
    return sent;
  }

  private OutcomeKind kind(int status, List<Header> headers) {
    Optional<OutcomeKind> inHeader =
        Headers.first(headers, OutcomeKind.HEADER).flatMap(OutcomeKind::parse);
    OutcomeKind told = inHeader.orElse(said);
    return told == null ? OutcomeRules.of(route.policy(), status, headers, this::isUnknown) : told;
  }

  /** Returns whether the outcome is unknown, if the handler failed. */
  private boolean isUnknown() {
    return operation != null && operation.isUnknownAfter(thrown);
  }

  /** Returns the answer of an end without a loop, which is done. */
  private static Answer now(CompletionStage<Answer> ended) {
    try {
      return ended.toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw e;
    }
  }

  /**
   * Ends the exchange, in the calling thread or from a loop.
   *
   * @param loop null to block for the store's answer
   */
  private CompletionStage<Answer> end(
      OutcomeKind kind, Outcome outcome, Answer own, @Nullable EventLoop loop) {
    if (isLeftUnknown) {
      return late(kind, proven(outcome), own, loop);
    }
    markEnded();
    Operation running = operation;
    CompletionStage<Answer> ended =
        staged(
            () -> {
              if (running == null) {
                return CompletableFuture.completedFuture(own);
              }
              return loop != null && joined != null
                  // Its transaction blocks.
                  ? CompletableFuture.supplyAsync(
                      () -> now(end(running, kind, proven(outcome), own, null)), loop.blocking())
                  : end(running, kind, proven(outcome), own, loop);
            });
    return ended.whenComplete((sent, failure) -> whenEnded.run());
  }

  /** Returns a stage also of a call that throws. */
  private static <T> CompletionStage<T> staged(Supplier<CompletionStage<T>> call) {
    try {
      return call.get();
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Returns an outcome with the caller's credential, where only that may get it again. */
  private Outcome proven(Outcome outcome) {
    return credential == null ? outcome : credential.on(outcome);
  }

  private void markEnded() {
    if (!isEnded.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "a request of " + route + " was ended already; it is ended once");
    }
  }

  private CompletionStage<Answer> end(
      Operation operation,
      OutcomeKind kind,
      Outcome outcome,
      Answer own,
      @Nullable EventLoop loop) {
    if (kind == OutcomeKind.FINAL || kind == OutcomeKind.FAILED) {
      route.times().add(nanos.getAsLong() - start);
    }
    HandlerTransaction transaction = joined;
    if (transaction != null && kind != OutcomeKind.FINAL) {
      transaction.rollBack();
    }
    return staged(() -> ending(operation, kind, outcome, loop))
        .handle(
            (ending, failure) -> {
              if (ending == null) {
                return failed(failure, own);
              }
              isLeftUnknown = kind == OutcomeKind.UNKNOWN;
              return told(ending, own);
            });
  }

  private static CompletionStage<Ending> ending(
      Operation operation, OutcomeKind kind, Outcome outcome, @Nullable EventLoop loop) {
    if (loop == null) {
      return CompletableFuture.completedFuture(
          switch (kind) {
            case FINAL -> operation.complete(outcome);
            case FAILED -> operation.fail(failed(outcome));
            case REFUSED -> operation.release();
            case UNKNOWN -> operation.unknown();
          });
    }
    return switch (kind) {
      case FINAL -> operation.completeAsync(outcome, loop);
      case FAILED -> operation.failAsync(failed(outcome), loop);
      case REFUSED -> operation.releaseAsync(loop);
      case UNKNOWN -> operation.unknownAsync(loop);
    };
  }

  /** Returns what to send if the operation could not be ended, or throws the failure. */
  private Answer failed(@Nullable Throwable failure, Answer own) {
    Throwable cause =
        failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
    if (cause instanceof StoreUnavailableException) {
      return pending(own);
    }
    if (cause instanceof RuntimeException e && joined != null) {
      return undone(own, e);
    }
    if (cause instanceof Error e) {
      throw e;
    }
    throw cause instanceof RuntimeException e ? e : new CompletionException(cause);
  }

  /** Nothing was committed: an error may be shown, a success must not. */
  private Answer undone(Answer own, RuntimeException cause) {
    System.getLogger("io.retrysafe.http")
        .log(
            System.Logger.Level.WARNING, "the transaction of " + route + " was rolled back", cause);
    return own.status() >= 400
        ? own
        : route
            .answers()
            .of(
                Problem.of(
                        ProblemType.OPERATION_FAILED,
                        "The operation was rolled back; nothing of it was done.")
                    .retryable(route.policy().get(Settings.FAILURES) != OnFailure.KEEP));
  }

  /**
   * Settles an operation that was left unknown, if its answer comes after all and no other attempt
   * took over.
   */
  private CompletionStage<Answer> late(
      OutcomeKind kind, Outcome outcome, Answer own, @Nullable EventLoop loop) {
    Operation running = operation;
    if (running == null || kind != OutcomeKind.FINAL) {
      return CompletableFuture.completedFuture(own);
    }
    isLeftUnknown = false;
    return staged(() -> ending(running, kind, outcome, loop))
        .thenApply(ending -> told(ending, own));
  }

  /**
   * The caller gets what is recorded, which is the handler's own answer unless it was overtaken.
   */
  private Answer told(Ending ending, Answer own) {
    if (ending instanceof Ending.Superseded superseded) {
      return route.answers().replay(superseded.outcome(), credential);
    }
    return ending instanceof Ending.Lost ? route.answers().outcomeUnknown() : own;
  }

  private static Outcome failed(Outcome outcome) {
    return new Outcome(
        Outcome.Kind.FAILED,
        outcome.status(),
        outcome.attributes(),
        outcome.body(),
        outcome.isKept());
  }
}
