// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.CallDeadline;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Release;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A memory store behind a bad line: each call follows the next fault that was planned for it. */
final class FlakyStore implements Store, Steps {
  enum Fault {
    /** The call never arrives. */
    LOST_CALL,
    /** The call is applied, its answer is lost. */
    LOST_ANSWER,
    /** The store refuses. */
    REFUSED,
    /** A claim meets somebody's open transaction. */
    CONTENDED
  }

  private final MemoryStore store;
  private final Map<String, Deque<Fault>> plans = new HashMap<>();
  private final List<String> calls = new ArrayList<>();
  private Runnable onNextClaim = () -> {};
  private final List<Duration> timesLeft = new ArrayList<>();
  private boolean isCut;
  private @Nullable Owner broken;
  private @Nullable Claim lastClaim;

  FlakyStore(MemoryStore store) {
    this.store = store;
  }

  MemoryStore behind() {
    return store;
  }

  /** Plans {@code times} faults for the calls of a name; after those they work again. */
  void plan(String call, Fault fault, int times) {
    for (int i = 0; i < times; i++) {
      plans.computeIfAbsent(call, name -> new ArrayDeque<>()).add(fault);
    }
  }

  /** Runs {@code action} after the next claim was applied, before it is answered. */
  void onNextClaim(Runnable action) {
    onNextClaim = action;
  }

  /** Cuts the line, until it heals: as if the process at this end had crashed. */
  void cut() {
    isCut = true;
  }

  /** Applies the last claim that was asked for, as a message does that was long on its way. */
  void landLastClaim() {
    ClaimResult unused = store.claim(java.util.Objects.requireNonNull(lastClaim, "no claim yet"));
  }

  /** Fails with an error whenever it is to complete the entry of {@code owner}. */
  void breakFor(Owner owner) {
    broken = owner;
  }

  void heal() {
    plans.clear();
    isCut = false;
    broken = null;
  }

  /** Returns how much time the callers of each call had. */
  List<Duration> timesLeft() {
    return timesLeft;
  }

  long calls(String call) {
    return calls.stream().filter(call::equals).count();
  }

  private <T> T through(String call, Supplier<T> work) {
    calls.add(call);
    timesLeft.add(CallDeadline.timeLeft(Duration.ofDays(1)));
    Deque<Fault> plan = plans.getOrDefault(call, new ArrayDeque<>());
    Fault fault = plan.poll();
    if (isCut) {
      throw new NoAnswerException("cut off", null);
    }
    if (fault == Fault.REFUSED) {
      throw new RefusedCallException("refused as planned", null);
    }
    if (fault == Fault.LOST_ANSWER) {
      T unused = work.get();
    }
    if (fault != null) {
      throw new NoAnswerException("silent as planned", null);
    }
    return work.get();
  }

  @Override
  public ClaimResult claim(Claim claim) {
    lastClaim = claim;
    Deque<Fault> plan = plans.getOrDefault("claim", new ArrayDeque<>());
    if (plan.peek() == Fault.CONTENDED) {
      calls.add("claim");
      plan.remove();
      return new ClaimResult.Contended();
    }
    ClaimResult result = through("claim", () -> store.claim(claim));
    Runnable action = onNextClaim;
    onNextClaim = () -> {};
    action.run();
    return result;
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    if (owner.equals(broken)) {
      throw new StackOverflowError("as planned");
    }
    return through("complete", () -> store.complete(owner, outcome, retention));
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return through("release", () -> store.release(owner, how));
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return through("renew", () -> store.renew(owners, lease));
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return through("find", () -> store.find(key));
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    return through("step", () -> store.step(owner, name, result));
  }

  @Override
  public int largestSteps() {
    return store.largestSteps();
  }

  @Override
  public Profile profile() {
    Profile profile = store.profile();
    return new Profile(
        "flaky",
        profile.promise(),
        profile.conditions(),
        profile.largestOutcome(),
        profile.unsettledRetention(),
        Duration.ofSeconds(3));
  }
}
