// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of one history share: its time, its plan, what was reached and what was broken.
 */
final class World {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  final Scheduler scheduler;
  final Plan plan;
  final Coverage coverage;
  final Trace trace;
  private final Watch watch;
  private @Nullable Violation violation;
  private boolean isCalm;
  private int contended;

  /** What of a history is looked at. */
  enum Watch {
    /** Every property. */
    ALL,
    /** Every property, and everything is written down. */
    TRACED,
    /** Only what callers are told and what the upstream sees; not what the store does inside. */
    OUTSIDE
  }

  World(Scheduler scheduler, Plan plan, Coverage coverage, Watch watch) {
    this.scheduler = scheduler;
    this.plan = plan;
    this.coverage = coverage;
    this.watch = watch;
    this.trace = new Trace(scheduler::now, watch == Watch.TRACED);
  }

  /** Returns the time on the store's clock. */
  Instant storeTime() {
    return START.plusNanos(scheduler.now());
  }

  long after(long millis) {
    return scheduler.now() + TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Returns how many claims were told that the key is contended. */
  int contended() {
    return contended;
  }

  void contend() {
    contended++;
    coverage.reached(Coverage.Place.CONTENDED);
  }

  /** Returns whether nothing goes wrong any more. */
  boolean isCalm() {
    return isCalm;
  }

  void calm() {
    isCalm = true;
    trace.log(() -> "--- from here on nothing goes wrong");
  }

  /** Says that a property is broken, if {@code isBroken}. The first one counts. */
  void deny(boolean isBroken, String property, Supplier<String> detail) {
    if (isBroken && violation == null) {
      Violation broken = new Violation(property, detail.get());
      violation = broken;
      trace.log(() -> "*** " + broken.property() + " is broken: " + broken.detail());
    }
  }

  /** Says that a property is broken inside the store. */
  void denyInside(boolean isBroken, String property, Supplier<String> detail) {
    deny(isBroken && watch != Watch.OUTSIDE, property, detail);
  }

  @Nullable Violation violation() {
    return violation;
  }
}
