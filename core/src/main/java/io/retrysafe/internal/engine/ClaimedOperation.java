// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static java.util.concurrent.CompletableFuture.completedFuture;

import io.retrysafe.ClaimLostException;
import io.retrysafe.Codec;
import io.retrysafe.Compensation;
import io.retrysafe.Decision;
import io.retrysafe.Ending;
import io.retrysafe.Event;
import io.retrysafe.EventLoop;
import io.retrysafe.Fingerprint;
import io.retrysafe.OnFailure;
import io.retrysafe.Operation;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Policy;
import io.retrysafe.RetrysafeException;
import io.retrysafe.SettlingTransaction;
import io.retrysafe.StepLookup;
import io.retrysafe.StepWork;
import io.retrysafe.StoreUnavailableException;
import io.retrysafe.internal.store.OutcomeFormat;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Release;
import io.retrysafe.store.StoreException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** An operation that this engine claimed, until its owner ends it. */
final class ClaimedOperation implements Operation {
  private enum Progress {
    RUNNING,
    LEFT_UNKNOWN,
    ENDED
  }

  private final EngineContext context;
  private final Owner owner;
  private final Fingerprint fingerprint;
  private final Policy policy;
  private final ClaimResult.Granted grant;
  private final Optional<StrayClaim> strayClaim;
  private final RememberedSteps steps;
  private final long start;
  private final AtomicReference<Progress> progress = new AtomicReference<>(Progress.RUNNING);
  private volatile boolean isLost;
  private volatile boolean isLookedUp;
  private volatile @Nullable SettlingTransaction transaction;
  private volatile boolean isRecorded;

  ClaimedOperation(
      EngineContext context,
      Claim claim,
      Policy policy,
      ClaimResult.Granted grant,
      Optional<StrayClaim> strayClaim) {
    this.context = context;
    this.owner = claim.owner();
    this.fingerprint = claim.fingerprint();
    this.policy = policy;
    this.grant = grant;
    this.strayClaim = strayClaim;
    this.steps = new RememberedSteps(context, owner, grant.attempt(), grant.steps());
    this.start = context.runtime().nanos();
  }

  /** Returns the operation of a decision that an engine made. */
  static ClaimedOperation of(Decision.Granted granted) {
    return (ClaimedOperation) granted.operation();
  }

  @Override
  public OperationKey key() {
    return owner.key();
  }

  @Override
  public int attempt() {
    return grant.attempt();
  }

  @Override
  public long fence() {
    return grant.fence();
  }

  @Override
  public String downstreamKey(String name) {
    return DownstreamKeys.derive(owner.key(), name);
  }

  @Override
  public boolean isCurrent() {
    return !isLost;
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> T step(
      String name, Codec<T> codec, StepWork<T, X> work) throws X {
    checkCurrent();
    return steps.run(name, codec, null, work, null);
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> T step(
      String name, Codec<T> codec, StepWork<T, X> work, Compensation<T> undo) throws X {
    checkCurrent();
    return steps.run(name, codec, null, work, undo);
  }

  @Override
  public <T, X extends Exception> T stepWithLookup(
      String name, Codec<T> codec, StepLookup<T> lookup, StepWork<T, X> work) throws X {
    checkCurrent();
    return steps.run(name, codec, lookup, work, null);
  }

  @Override
  public <T, X extends Exception> T stepWithLookup(
      String name, Codec<T> codec, StepLookup<T> lookup, StepWork<T, X> work, Compensation<T> undo)
      throws X {
    checkCurrent();
    return steps.run(name, codec, lookup, work, undo);
  }

  @Override
  public Ending complete(Outcome outcome) {
    return Futures.result(complete(outcome, context.thread()));
  }

  @Override
  public CompletionStage<Ending> completeAsync(Outcome outcome, EventLoop loop) {
    return complete(outcome, new LoopCaller(context, loop));
  }

  CompletableFuture<Ending> complete(Outcome outcome, StoreCaller caller) {
    SettlingTransaction own = transaction;
    if (own != null && outcome.kind() == Outcome.Kind.FINAL) {
      return caller.block(() -> completedFuture(settle(outcome, own)));
    }
    Outcome kept = ended(outcome);
    long asked = context.runtime().nanos();
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
    if (!progress.compareAndSet(Progress.LEFT_UNKNOWN, Progress.ENDED)) {
      end(Progress.ENDED);
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
    context.events().emit(Event.Kind.UNAVAILABLE, key(), attempt(), "completing: " + silence);
    boolean isPending = recordLater(kept);
    if (!isPending && kept.isKept()) {
      isPending = recordLater(kept.withoutAnswer());
      if (isPending) {
        context.events().emit(Event.Kind.DROPPED, key(), attempt(), "the answer");
      }
    }
    if (isPending) {
      throw new StoreUnavailableException(key(), true, silence);
    }
    over(false);
    context.events().emit(Event.Kind.DROPPED, key(), attempt(), "the outcome");
    return new Ending.Lost();
  }

  @Override
  public void settleWith(SettlingTransaction own) {
    checkRunning();
    this.transaction = own;
  }

  private Ending settle(Outcome outcome, SettlingTransaction own) {
    checkRunning();
    Outcome kept = fitting(outcome);
    boolean mine;
    try {
      mine = own.settle(owner, kept, policy.retention());
    } catch (StoreException e) {
      // Nobody knows: the lease runs out, and the policy's recovery decides.
      end(Progress.ENDED);
      context.heartbeat().remove(this);
      context.events().emit(Event.Kind.UNAVAILABLE, key(), attempt(), "settling: " + e);
      throw new StoreUnavailableException(key(), true, e);
    } catch (RuntimeException e) {
      fail(Outcomes.failed(e));
      throw e;
    }
    end(Progress.ENDED);
    return mine
        ? recorded(kept)
        : Futures.result(superseded(context.runtime().nanos(), context.thread()));
  }

  @Override
  public Ending fail(Outcome failure) {
    return Futures.result(fail(failure, context.thread()));
  }

  @Override
  public CompletionStage<Ending> failAsync(Outcome failure, EventLoop loop) {
    return fail(failure, new LoopCaller(context, loop));
  }

  private CompletableFuture<Ending> fail(Outcome failure, StoreCaller caller) {
    checkRunning();
    Optional<RetrysafeException> broken = steps.broken();
    if (broken.isPresent()) {
      // The step ran and nobody knows whether it is remembered: going on would leave it out.
      return broken.get() instanceof ClaimLostException
          ? stop(caller)
          : leave(Release.UNKNOWN, caller);
    }
    Outcome first = steps.failure().orElse(failure);
    boolean isForGood = policy.failures() == OnFailure.KEEP || steps.failure().isPresent();
    if (!isForGood) {
      return leave(
          switch (policy.failures()) {
            case RESUME -> Release.RESUMABLE;
            // What a transaction rolled back is not unknown.
            case UNKNOWN -> transaction == null ? Release.UNKNOWN : Release.FREE;
            case KEEP, RELEASE -> Release.FREE;
          },
          caller);
    }
    if (!steps.isWalked()) {
      // What earlier attempts did cannot be undone from here, so it is not over.
      return leave(Release.FREE, caller);
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
      context.events().emit(Event.Kind.COMPENSATION_FAILED, key(), attempt(), e);
      return leave(Release.RESUMABLE);
    }
    return complete(failure);
  }

  @Override
  public boolean isUnknownAfter(@Nullable Throwable thrown) {
    if (transaction != null || steps.failure().isPresent() || steps.broken().isPresent()) {
      return false;
    }
    if (policy.failures() == OnFailure.UNKNOWN) {
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

  @Override
  public Ending release() {
    return leave(Release.FREE);
  }

  @Override
  public CompletionStage<Ending> releaseAsync(EventLoop loop) {
    return leave(Release.FREE, new LoopCaller(context, loop));
  }

  @Override
  public Ending unknown() {
    return leave(Release.UNKNOWN);
  }

  @Override
  public CompletionStage<Ending> unknownAsync(EventLoop loop) {
    return leave(Release.UNKNOWN, new LoopCaller(context, loop));
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
    return progress.get() != Progress.RUNNING;
  }

  boolean isOverrun() {
    return context.runtime().nanos() - start > policy.maxRunning().toNanos();
  }

  /** Is told that the claim is gone. */
  void lose() {
    if (progress.get() == Progress.RUNNING) {
      isLost = true;
      context.events().emit(Event.Kind.LOST_CLAIM, key(), attempt());
    }
  }

  /** Ends an operation whose claim was lost. */
  Ending stop() {
    return Futures.result(stop(context.thread()));
  }

  private CompletableFuture<Ending> stop(StoreCaller caller) {
    end(Progress.ENDED);
    return superseded(context.runtime().nanos(), caller);
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
      context.events().emit(Event.Kind.LOST_CLAIM, key(), attempt());
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
    if (progress.get() != Progress.RUNNING) {
      throw endedAlready();
    }
  }

  private IllegalStateException endedAlready() {
    return new IllegalStateException(key() + " was ended already; an operation is ended once");
  }

  Ending leave(Release how) {
    return Futures.result(leave(how, context.thread()));
  }

  CompletableFuture<Ending> leave(Release how, StoreCaller caller) {
    end(how == Release.UNKNOWN ? Progress.LEFT_UNKNOWN : Progress.ENDED);
    return Futures.then(
        caller.release(context.runtime().nanos(), owner, how),
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
  private Ending leaveLater(Release how, StoreException silence) {
    context.events().emit(Event.Kind.UNAVAILABLE, key(), attempt(), "releasing: " + silence);
    boolean isPending =
        context
            .pendingWrites()
            .release(() -> context.store().release(owner, how), answer -> left(how, answer));
    if (isPending) {
      return new Ending.Left(how);
    }
    over(false);
    context.events().emit(Event.Kind.DROPPED, key(), attempt(), "a release as " + how);
    return new Ending.Lost();
  }

  private Ending left(Release how, Optional<Boolean> answer) {
    over(answer.isPresent());
    context.waiters().wake(key());
    if (answer.orElse(false)) {
      context.events().emit(Event.Kind.RELEASED, key(), attempt(), how);
      return new Ending.Left(how);
    }
    // A late completion may have overtaken the release: then nothing was lost.
    if (!isRecorded) {
      context.events().emit(Event.Kind.LOST_CLAIM, key(), attempt());
    }
    return new Ending.Lost();
  }

  private boolean record(Outcome outcome) {
    return context.store().complete(owner, outcome, policy.retention());
  }

  /** Records in the background; returns false if there is no room for {@code outcome}. */
  private boolean recordLater(Outcome outcome) {
    return context
        .pendingWrites()
        .record(
            OutcomeFormat.size(outcome),
            () -> record(outcome),
            answer -> {
              if (answer.orElse(false)) {
                recorded(outcome);
              } else {
                over(answer.isPresent());
                context
                    .events()
                    .emit(Event.Kind.LOST_CLAIM, key(), attempt(), "while its record was pending");
              }
            });
  }

  private Ending recorded(Outcome outcome) {
    isRecorded = true;
    over(true);
    context.waiters().wake(key());
    context.events().emit(Event.Kind.COMPLETED, key(), attempt(), outcome.kind());
    return new Ending.Recorded(outcome);
  }

  /**
   * Lets go of a claim, and of what may be left of it on the way if the store said that it has
   * ended; otherwise that may be the claim itself.
   */
  private void over(boolean isEnded) {
    context.heartbeat().remove(this);
    if (isEnded) {
      strayClaim.ifPresent(StrayClaim::undo);
    }
  }

  private Outcome fitting(Outcome outcome) {
    boolean fits =
        outcome.body().size() <= policy.largestAnswer()
            && !OutcomeFormat.isLargerThan(outcome, context.store().profile().largestOutcome());
    return fits ? outcome : outcome.withoutAnswer();
  }

  private void end(Progress as) {
    if (!progress.compareAndSet(Progress.RUNNING, as)) {
      throw endedAlready();
    }
  }
}
