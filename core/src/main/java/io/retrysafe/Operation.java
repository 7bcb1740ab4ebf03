// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.OutcomeFormat;
import io.retrysafe.store.Owner;
import io.retrysafe.store.StoreException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The right to run an operation, held by its owner. It is renewed in the background until the owner
 * ends it, once, with {@link #complete}, {@link #fail}, {@link #release} or {@link #unknown}. Any
 * thread may end it.
 */
public final class Operation {
  private enum Phase {
    RUNNING,
    LEFT_UNKNOWN,
    ENDED
  }

  private final Parts parts;
  private final Owner owner;
  private final Fingerprint fingerprint;
  private final Policy policy;
  private final ClaimResult.Granted grant;
  private final Optional<Echo> echo;
  private final RememberedSteps steps;
  private final long start;
  private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.RUNNING);
  private volatile boolean isLost;
  private volatile boolean isLookedUp;
  private volatile @Nullable Settling settling;
  private volatile boolean isRecorded;

  Operation(
      Parts parts, Claim claim, Policy policy, ClaimResult.Granted grant, Optional<Echo> echo) {
    this.parts = parts;
    this.owner = claim.owner();
    this.fingerprint = claim.fingerprint();
    this.policy = policy;
    this.grant = grant;
    this.echo = echo;
    this.steps = new RememberedSteps(parts, owner, grant.attempt(), grant.steps());
    this.start = parts.seam().nanos();
  }

  public OperationKey key() {
    return owner.key();
  }

  /** Returns which attempt this is, from 1. */
  public int attempt() {
    return grant.attempt();
  }

  /**
   * Returns a number greater than that of every earlier attempt, for resources that refuse smaller
   * ones.
   */
  public long fence() {
    return grant.fence();
  }

  /**
   * Returns the idempotency key for a service that this operation calls: the same in every attempt,
   * another for every scope, key and {@code name}. A lower-case UUID of 36 characters.
   *
   * @throws IllegalArgumentException if the name is not well-formed Unicode
   */
  public String downstreamKey(String name) {
    return DownstreamKeys.derive(owner.key(), name);
  }

  /**
   * Returns whether the operation is still the owner's, as far as is known here. Work that loses it
   * should stop.
   */
  public boolean isCurrent() {
    return !isLost;
  }

  /**
   * Runs a part of the operation, once: its result is remembered, and a later attempt gets it
   * instead of running it again. A crash before that repeats it, so give the service that it calls
   * a {@linkplain #downstreamKey downstream key}. A name may be used once in an attempt.
   *
   * @throws ClaimLostException if the operation is no longer the owner's
   * @throws StoreUnavailableException if the step ran and could not be remembered
   */
  public <T extends @Nullable Object, X extends Exception> T step(
      String name, Codec<T> codec, StepWork<T, X> work) throws X {
    checkCurrent();
    return steps.run(name, codec, null, work, null);
  }

  /**
   * Runs a part of the operation as {@link #step(String, Codec, StepWork)} does. If the operation
   * fails for good later, {@code undo} is run, for the last step first.
   */
  public <T extends @Nullable Object, X extends Exception> T step(
      String name, Codec<T> codec, StepWork<T, X> work, Compensation<T> undo) throws X {
    checkCurrent();
    return steps.run(name, codec, null, work, undo);
  }

  /**
   * Runs a part of the operation as {@link #step(String, Codec, StepWork)} does, but asks first
   * where it may have happened: in every attempt after the first one that does not find its result
   * remembered. For services that do not know {@linkplain #downstreamKey downstream keys} but can
   * be asked.
   *
   * @throws OutcomeUnknownException if the lookup cannot tell; the operation is left unknown
   */
  public <T, X extends Exception> T stepWithLookup(
      String name, Codec<T> codec, StepLookup<T> lookup, StepWork<T, X> work) throws X {
    checkCurrent();
    return steps.run(name, codec, lookup, work, null);
  }

  /**
   * Runs a part of the operation as {@link #stepWithLookup(String, Codec, StepLookup, StepWork)}
   * does. If the operation fails for good later, {@code undo} is run, for the last step first; also
   * for a step that the lookup found.
   */
  public <T, X extends Exception> T stepWithLookup(
      String name, Codec<T> codec, StepLookup<T> lookup, StepWork<T, X> work, Compensation<T> undo)
      throws X {
    checkCurrent();
    return steps.run(name, codec, lookup, work, undo);
  }

  /**
   * Settles the operation. Returns only when that is recorded. Also allowed after {@link #unknown}:
   * a late answer is welcome until somebody takes over.
   *
   * @throws StoreUnavailableException if the store stays silent; recording goes on in the
   *     background
   */
  public Ending complete(Outcome outcome) {
    return Futures.result(complete(outcome, parts.thread()));
  }

  /**
   * Settles the operation as {@link #complete} does, without holding the event loop. The ending
   * comes in the calling thread before this returns, or in the loop; it cannot be cancelled.
   */
  public CompletionStage<Ending> completeAsync(Outcome outcome, EventLoop loop) {
    return complete(outcome, new LoopCaller(parts, loop));
  }

  CompletableFuture<Ending> complete(Outcome outcome, StoreCaller caller) {
    Settling own = settling;
    if (own != null && outcome.kind() == Outcome.Kind.FINAL) {
      return caller.block(() -> completedFuture(settle(outcome, own)));
    }
    Outcome kept = ended(outcome);
    long asked = parts.seam().nanos();
    return Futures.then(
        caller.complete(asked, owner, kept, policy.retention()),
        (mine, failure) -> {
          if (mine != null) {
            return mine ? completedFuture(recorded(kept)) : superseded(asked, caller);
          }
          if (failure instanceof StoreException silence) {
            return completedFuture(pending(kept, silence));
          }
          throw Futures.unchecked(failure);
        });
  }

  private Outcome ended(Outcome outcome) {
    if (!phase.compareAndSet(Phase.LEFT_UNKNOWN, Phase.ENDED)) {
      end(Phase.ENDED);
    }
    return fitting(outcome);
  }

  /**
   * Goes on recording in the background, and keeps the lease until then, so that nobody runs again
   * what is done. If there is no room for the outcome, it is recorded without its answer; if there
   * is no room for that either, the outcome is unknown.
   *
   * @throws StoreUnavailableException if recording goes on
   */
  private Ending pending(Outcome kept, StoreException silence) {
    parts.events().emit(Event.Kind.UNAVAILABLE, key(), attempt(), "completing: " + silence);
    boolean isPending = recordLater(kept);
    if (!isPending && kept.isKept()) {
      isPending = recordLater(kept.withoutAnswer());
      if (isPending) {
        parts.events().emit(Event.Kind.DROPPED, key(), attempt(), "the answer");
      }
    }
    if (isPending) {
      throw new StoreUnavailableException(key(), true, silence);
    }
    over(false);
    parts.events().emit(Event.Kind.DROPPED, key(), attempt(), "the outcome");
    return new Ending.Lost();
  }

  /**
   * Has the operation's result settled by {@code own} and not by the store, so that effect and
   * completion can be one transaction. A failure is still the store's to record.
   */
  public void settleWith(Settling own) {
    checkRunning();
    this.settling = own;
  }

  private Ending settle(Outcome outcome, Settling own) {
    checkRunning();
    Outcome kept = fitting(outcome);
    boolean mine;
    try {
      mine = own.settle(owner, kept, policy.retention());
    } catch (StoreException e) {
      // Nobody knows: the lease runs out, and the policy's recovery decides.
      end(Phase.ENDED);
      parts.heartbeat().remove(this);
      parts.events().emit(Event.Kind.UNAVAILABLE, key(), attempt(), "settling: " + e);
      throw new StoreUnavailableException(key(), true, e);
    } catch (RuntimeException e) {
      fail(Outcomes.failed(e));
      throw e;
    }
    end(Phase.ENDED);
    return mine ? recorded(kept) : Futures.result(superseded(parts.seam().nanos(), parts.thread()));
  }

  /**
   * Ends the operation as failed: what that means is the policy's {@link Policy#failures}. It is
   * left as it was, to be tried again, if it cannot be undone yet: its attempt did not come by all
   * steps that earlier ones remembered. An adapter first asks {@link #isUnknownAfter}.
   */
  public Ending fail(Outcome failure) {
    return Futures.result(fail(failure, parts.thread()));
  }

  /** Ends the operation as {@link #fail} does, in the way of {@link #completeAsync}. */
  public CompletionStage<Ending> failAsync(Outcome failure, EventLoop loop) {
    return fail(failure, new LoopCaller(parts, loop));
  }

  private CompletableFuture<Ending> fail(Outcome failure, StoreCaller caller) {
    checkRunning();
    Optional<RetrysafeException> broken = steps.broken();
    if (broken.isPresent()) {
      // The step ran and nobody knows whether it is remembered: going on would leave it out.
      return broken.get() instanceof ClaimLostException
          ? stop(caller)
          : leave(LeaveAs.UNKNOWN, caller);
    }
    Outcome first = steps.failure().orElse(failure);
    boolean isForGood = policy.failures() == Failures.KEEP || steps.failure().isPresent();
    if (!isForGood) {
      return leave(
          switch (policy.failures()) {
            case RESUME -> LeaveAs.RESUMABLE;
            // What a transaction rolled back is not unknown.
            case UNKNOWN -> settling == null ? LeaveAs.UNKNOWN : LeaveAs.FREE;
            case KEEP, RELEASE -> LeaveAs.FREE;
          },
          caller);
    }
    if (!steps.isWalked()) {
      // What earlier attempts did cannot be undone from here, so it is not over.
      return leave(LeaveAs.FREE, caller);
    }
    return steps.isUndoing()
        ? caller.block(() -> completedFuture(undo(first)))
        : complete(first, caller);
  }

  /** Undoes the steps in this thread, and ends the operation as failed. */
  private Ending undo(Outcome failure) {
    try {
      steps.compensate(failure);
    } catch (ClaimLostException e) {
      return stop();
    } catch (StoreUnavailableException e) {
      unknown();
      throw e;
    } catch (Throwable e) {
      parts.events().emit(Event.Kind.COMPENSATION_FAILED, key(), attempt(), e);
      return leave(LeaveAs.RESUMABLE);
    }
    return complete(failure);
  }

  /**
   * Returns whether nobody knows, after this failure of the work, whether the effect happened. Then
   * an adapter ends the operation with {@link #unknown} instead of {@link #fail}. Never in a
   * transaction that settles the operation too, nor while its steps are being undone.
   *
   * @param thrown what the work threw; null if it said in another way that it failed
   */
  public boolean isUnknownAfter(@Nullable Throwable thrown) {
    if (settling != null || steps.failure().isPresent() || steps.broken().isPresent()) {
      return false;
    }
    if (policy.failures() == Failures.UNKNOWN) {
      return true;
    }
    try {
      return thrown != null && policy.unknownOn().test(thrown);
    } catch (RuntimeException | Error e) {
      System.getLogger("io.retrysafe")
          .log(System.Logger.Level.WARNING, "unknownOn failed on " + thrown, e);
      return true;
    }
  }

  /**
   * Ends the operation as refused before it had any effect. The key is free again, unless an
   * earlier attempt may have had an effect or steps are remembered.
   */
  public Ending release() {
    return leave(LeaveAs.FREE);
  }

  /** Ends the operation as {@link #release} does, in the way of {@link #completeAsync}. */
  public CompletionStage<Ending> releaseAsync(EventLoop loop) {
    return leave(LeaveAs.FREE, new LoopCaller(parts, loop));
  }

  /**
   * Ends the operation without knowing whether it had its effect; the policy's recovery decides
   * what follows.
   */
  public Ending unknown() {
    return leave(LeaveAs.UNKNOWN);
  }

  /** Ends the operation as {@link #unknown} does, in the way of {@link #completeAsync}. */
  public CompletionStage<Ending> unknownAsync(EventLoop loop) {
    return leave(LeaveAs.UNKNOWN, new LoopCaller(parts, loop));
  }

  Owner owner() {
    return owner;
  }

  Policy policy() {
    return policy;
  }

  RememberedSteps steps() {
    return steps;
  }

  boolean isEnded() {
    return phase.get() != Phase.RUNNING;
  }

  boolean isOverrun() {
    return parts.seam().nanos() - start > policy.maxRunning().toNanos();
  }

  /** Is told that the claim is gone. */
  void lose() {
    if (phase.get() == Phase.RUNNING) {
      isLost = true;
      parts.events().emit(Event.Kind.LOST_CLAIM, key(), attempt());
    }
  }

  /** Ends an operation whose claim was lost. */
  Ending stop() {
    return Futures.result(stop(parts.thread()));
  }

  private CompletableFuture<Ending> stop(StoreCaller caller) {
    end(Phase.ENDED);
    return superseded(parts.seam().nanos(), caller);
  }

  /**
   * Returns what is recorded of an operation whose claim was lost.
   *
   * @param start when the deadline began within which the store answers
   */
  private CompletableFuture<Ending> superseded(long start, StoreCaller caller) {
    over(true);
    if (!isLost) {
      isLost = true;
      parts.events().emit(Event.Kind.LOST_CLAIM, key(), attempt());
    }
    return Futures.then(
        caller.find(start, key()),
        (entry, failure) -> {
          if (entry == null && !(failure instanceof StoreException)) {
            throw Futures.unchecked(failure);
          }
          return completedFuture(recordedByOthers(entry == null ? Optional.empty() : entry));
        });
  }

  private Ending recordedByOthers(Optional<Entry> entry) {
    return entry
        .filter(found -> found.fingerprint().equals(fingerprint))
        .flatMap(Entry::outcome)
        .<Ending>map(Ending.Superseded::new)
        .orElseGet(Ending.Lost::new);
  }

  /** Is told that a lookup has the operation now, or no longer. */
  void lookedUp(boolean isLookedUp) {
    this.isLookedUp = isLookedUp;
  }

  void checkCurrent() {
    if (isLookedUp) {
      throw new StepInLookupException(key());
    }
    checkRunning();
    if (isLost) {
      throw new ClaimLostException(key());
    }
  }

  private void checkRunning() {
    if (phase.get() != Phase.RUNNING) {
      throw endedAlready();
    }
  }

  private IllegalStateException endedAlready() {
    return new IllegalStateException(key() + " was ended already; an operation is ended once");
  }

  Ending leave(LeaveAs how) {
    return Futures.result(leave(how, parts.thread()));
  }

  CompletableFuture<Ending> leave(LeaveAs how, StoreCaller caller) {
    end(how == LeaveAs.UNKNOWN ? Phase.LEFT_UNKNOWN : Phase.ENDED);
    return Futures.then(
        caller.release(parts.seam().nanos(), owner, how),
        (mine, failure) -> {
          if (mine != null) {
            return completedFuture(left(how, Optional.of(mine)));
          }
          if (failure instanceof StoreException silence) {
            return completedFuture(leaveLater(how, silence));
          }
          throw Futures.unchecked(failure);
        });
  }

  /** Goes on releasing in the background. */
  private Ending leaveLater(LeaveAs how, StoreException silence) {
    parts.events().emit(Event.Kind.UNAVAILABLE, key(), attempt(), "releasing: " + silence);
    boolean isPending =
        parts
            .background()
            .release(() -> parts.store().release(owner, how), answer -> left(how, answer));
    if (isPending) {
      return new Ending.Left(how);
    }
    over(false);
    parts.events().emit(Event.Kind.DROPPED, key(), attempt(), "a release as " + how);
    return new Ending.Lost();
  }

  private Ending left(LeaveAs how, Optional<Boolean> answer) {
    over(answer.isPresent());
    parts.waiters().wake(key());
    if (answer.orElse(false)) {
      parts.events().emit(Event.Kind.RELEASED, key(), attempt(), how);
      return new Ending.Left(how);
    }
    // A late completion may have overtaken the release: then nothing was lost.
    if (!isRecorded) {
      parts.events().emit(Event.Kind.LOST_CLAIM, key(), attempt());
    }
    return new Ending.Lost();
  }

  private boolean record(Outcome outcome) {
    return parts.store().complete(owner, outcome, policy.retention());
  }

  /** Records in the background; returns false if there is no room for {@code outcome}. */
  private boolean recordLater(Outcome outcome) {
    return parts
        .background()
        .record(
            OutcomeFormat.size(outcome),
            () -> record(outcome),
            answer -> {
              if (answer.orElse(false)) {
                recorded(outcome);
              } else {
                over(answer.isPresent());
                parts
                    .events()
                    .emit(Event.Kind.LOST_CLAIM, key(), attempt(), "while its record was pending");
              }
            });
  }

  private Ending recorded(Outcome outcome) {
    isRecorded = true;
    over(true);
    parts.waiters().wake(key());
    parts.events().emit(Event.Kind.COMPLETED, key(), attempt(), outcome.kind());
    return new Ending.Recorded(outcome);
  }

  /**
   * Lets go of a claim, and of what may be left of it on the way if the store said that it has
   * ended; otherwise that may be the claim itself.
   */
  private void over(boolean isEnded) {
    parts.heartbeat().remove(this);
    if (isEnded) {
      echo.ifPresent(Echo::undo);
    }
  }

  private Outcome fitting(Outcome outcome) {
    boolean fits =
        outcome.body().size() <= policy.largestAnswer()
            && !OutcomeFormat.isLargerThan(outcome, parts.store().profile().largestOutcome());
    return fits ? outcome : outcome.withoutAnswer();
  }

  private void end(Phase as) {
    if (!phase.compareAndSet(Phase.RUNNING, as)) {
      throw endedAlready();
    }
  }
}
