// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * A clock that tells wall time but never jumps: one sample of the wall clock, carried on by the
 * monotonic clock. For stores that have no server to ask.
 */
public final class SteadyClock implements InstantSource {
  private final Instant origin;
  private final long start;
  private final LongSupplier nanos;

  SteadyClock(InstantSource wall, LongSupplier nanos) {
    this.origin = wall.instant();
    this.start = nanos.getAsLong();
    this.nanos = nanos;
  }

  /** Returns a clock that starts at the system's wall time. */
  public static SteadyClock create() {
    return new SteadyClock(InstantSource.system(), System::nanoTime);
  }

  @Override
  public Instant instant() {
    return origin.plusNanos(nanos.getAsLong() - start);
  }
}
