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
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
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
  private final Policy policy;
  private final ClaimResult.Granted grant;
  private final EndingWriter writer;
  private final RememberedSteps steps;
  private final long start;
  private final AtomicReference<Progress> progress = new AtomicReference<>(Progress.RUNNING);
  private volatile boolean isLookedUp;
  private volatile @Nullable SettlingTransaction transaction;

  ClaimedOperation(
      EngineContext context,
      Claim claim,
      Policy policy,
      ClaimResult.Granted grant,
      Optional<StrayClaim> strayClaim) {
    this.context = context;
    this.owner = claim.owner();
    this.policy = policy;
    this.grant = grant;
    this.writer = new EndingWriter(context, claim, policy, grant.attempt(), strayClaim);
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
    return !writer.isLost();
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
    if (!progress.compareAndSet(Progress.LEFT_UNKNOWN, Progress.ENDED)) {
      end(Progress.ENDED);
    }
    return writer.complete(writer.fitting(outcome), caller);
  }

  @Override
  public void settleWith(SettlingTransaction own) {
    checkRunning();
    this.transaction = own;
  }

  private Ending settle(Outcome outcome, SettlingTransaction own) {
    checkRunning();
    Outcome kept = writer.fitting(outcome);
    boolean mine;
    try {
      mine = own.settle(owner, kept, policy.retention());
    } catch (StoreException e) {
      // The commit may have happened: the lease runs out, and the policy's recovery decides.
      end(Progress.ENDED);
      writer.stopRenewing();
      context.events().emit(Event.Kind.UNAVAILABLE, key(), attempt(), "settling: " + e);
      throw new StoreUnavailableException(key(), true, e);
    } catch (RuntimeException e) {
      fail(Outcomes.failed(e));
      throw e;
    }
    end(Progress.ENDED);
    return mine
        ? writer.recorded(kept)
        : Futures.result(writer.superseded(context.runtime().nanos(), context.thread()));
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
      // The step ran, and its result may not be stored: going on would leave it out.
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

  /** Notes that the claim is gone. */
  void lose() {
    if (progress.get() == Progress.RUNNING) {
      writer.lose();
    }
  }

  /** Ends an operation whose claim was lost. */
  Ending stop() {
    return Futures.result(stop(context.thread()));
  }

  private CompletableFuture<Ending> stop(StoreCaller caller) {
    end(Progress.ENDED);
    return writer.superseded(context.runtime().nanos(), caller);
  }

  /** Notes whether a lookup uses the operation now. */
  void lookedUp(boolean isLookedUp) {
    this.isLookedUp = isLookedUp;
  }

  void checkCurrent() {
    if (isLookedUp) {
      throw new StepInLookupException(key());
    }
    checkRunning();
    if (writer.isLost()) {
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
    return writer.release(how, caller);
  }

  private void end(Progress as) {
    if (!progress.compareAndSet(Progress.RUNNING, as)) {
      throw endedAlready();
    }
  }
}
