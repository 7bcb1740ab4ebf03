// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.Entry;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Release;
import io.retrysafe.store.Resolution;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Store;
import io.retrysafe.store.Token;
import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A memory store behind a slow network that loses questions, loses answers and delivers questions
 * after their caller gave up. It fulfils the contract all the same.
 */
final class LossyStore implements Store, Steps, Resolvable, AutoCloseable {
  private static final Duration LATEST = Duration.ofMillis(200);

  private final MemoryStore far;
  private final int lostPercent;
  private final ExecutorService late = Executors.newFixedThreadPool(4);

  LossyStore(MemoryStore far, int lostPercent) {
    this.far = far;
    this.lostPercent = lostPercent;
  }

  private <T> T send(Supplier<T> call) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    LockSupport.parkNanos(random.nextInt(200_000));
    if (random.nextInt(100) >= lostPercent) {
      T answer = call.get();
      LockSupport.parkNanos(random.nextInt(200_000));
      return answer;
    }
    Runnable unheard = new FutureTask<>(call::get);
    switch (random.nextInt(3)) {
      case 0 -> unheard.run();
      case 1 -> late.execute(() -> deliverLate(unheard));
      default -> {}
    }
    throw new NoAnswerException("lost on the way", null);
  }

  private static void deliverLate(Runnable call) {
    LockSupport.parkNanos(1_000_000);
    call.run();
  }

  @Override
  public ClaimResult claim(Claim claim) {
    return send(() -> far.claim(claim));
  }

  @Override
  public boolean complete(Owner owner, Outcome outcome, Duration retention) {
    return send(() -> far.complete(owner, outcome, retention));
  }

  @Override
  public boolean release(Owner owner, Release how) {
    return send(() -> far.release(owner, how));
  }

  @Override
  public Set<Owner> renew(Set<Owner> owners, Duration lease) {
    return send(() -> far.renew(owners, lease));
  }

  @Override
  public Optional<Entry> find(OperationKey key) {
    return send(() -> far.find(key));
  }

  @Override
  public boolean step(Owner owner, String name, Bytes result) {
    return send(() -> far.step(owner, name, result));
  }

  @Override
  public int largestSteps() {
    return far.largestSteps();
  }

  @Override
  public Resolved resolve(Entry seen, Token token, Resolution resolution) {
    return send(() -> far.resolve(seen, token, resolution));
  }

  @Override
  public Profile profile() {
    Duration unsettled = far.profile().unsettledRetention();
    return new Profile("lossy", "none", List.of(), 1 << 20, unsettled, LATEST);
  }

  @Override
  public void close() {
    late.shutdownNow();
  }
}
