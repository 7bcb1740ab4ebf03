// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.simulation.World.Watch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Runs histories, one after the other, until one breaks a property or the time is over. */
final class Simulator {
  private static final int SIDE_BY_SIDE = 2;

  // The engine warns whenever a background round fails, which is what happens here all the time.
  private static final Logger LOG = Logger.getLogger("io.retrysafe");

  static {
    LOG.setLevel(Level.OFF);
  }

  private final Supplier<Defect> defect;
  private final Watch watch;
  private final Coverage coverage = new Coverage();
  private final AtomicLong histories = new AtomicLong();

  Simulator(Supplier<Defect> defect, Watch watch) {
    this.defect = defect;
    this.watch = watch;
  }

  /** A history that broke a property. */
  record Failure(long seed, Violation violation) {}

  Coverage coverage() {
    return coverage;
  }

  long histories() {
    return histories.get();
  }

  /** Runs histories from {@code firstSeed} on, for {@code millis} at most. */
  Optional<Failure> run(long firstSeed, long millis) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    return runWhile(firstSeed, () -> System.nanoTime() < end);
  }

  /** Runs {@code count} histories from {@code firstSeed} on: the same ones every time. */
  Optional<Failure> runAll(long firstSeed, long count) throws InterruptedException {
    AtomicLong left = new AtomicLong(count);
    return runWhile(firstSeed, () -> left.getAndDecrement() > 0);
  }

  private Optional<Failure> runWhile(long firstSeed, BooleanSupplier isGoingOn)
      throws InterruptedException {
    AtomicLong seeds = new AtomicLong(firstSeed);
    Queue<Failure> failures = new ConcurrentLinkedQueue<>();
    Queue<Throwable> errors = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < SIDE_BY_SIDE; i++) {
      Thread thread = new Thread(() -> run(seeds, isGoingOn, failures), "simulation-" + i);
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((which, error) -> errors.add(error));
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    if (!errors.isEmpty()) {
      throw new AssertionError("the simulator itself failed", errors.peek());
    }
    return failures.stream().min(Comparator.comparingLong(Failure::seed));
  }

  private void run(AtomicLong seeds, BooleanSupplier isGoingOn, Queue<Failure> failures) {
    Scheduler scheduler = new Scheduler();
    Coverage reached = new Coverage();
    while (failures.isEmpty() && isGoingOn.getAsBoolean()) {
      run(seeds.getAndIncrement(), scheduler, reached).ifPresent(failures::add);
    }
    synchronized (coverage) {
      coverage.add(reached);
    }
  }

  private Optional<Failure> run(long seed, Scheduler scheduler, Coverage reached) {
    histories.incrementAndGet();
    return Optional.ofNullable(
            Run.of(Plan.of(seed), scheduler, reached, defect.get(), watch).violation())
        .map(violation -> new Failure(seed, violation));
  }

  /** Returns the history of {@code plan}, line by line. */
  Run.Result replay(Plan plan) {
    return Run.of(plan, new Scheduler(), coverage, defect.get(), Watch.TRACED);
  }

  /** Returns what there is to say about a failure: its seed, its smallest plan, what happened. */
  String explain(Failure failure) {
    Plan least =
        new Shrinker(plan -> isBroken(plan, failure.violation().property()))
            .shrink(Plan.of(failure.seed()));
    return failure.violation()
        + "\nreplay with -Dsimulation.seed="
        + failure.seed()
        + "\nsmallest plan that breaks it: "
        + least
        + "\n"
        + String.join("\n", replay(least).trace());
  }

  private boolean isBroken(Plan plan, String property) {
    Violation violation = replay(plan).violation();
    return violation != null && violation.property().equals(property);
  }
}
