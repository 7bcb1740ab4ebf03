// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** How long the handler of a route usually takes: a mean in which the latest runs count most. */
final class RouteTimes {
  private static final int WEIGHT = 8;

  private final AtomicLong meanNanos = new AtomicLong(-1);

  void add(long nanos) {
    meanNanos.updateAndGet(mean -> mean < 0 ? nanos : mean + (nanos - mean) / WEIGHT);
  }

  /** Returns nothing until the first run has ended. */
  Optional<Duration> usual() {
    long mean = meanNanos.get();
    return mean < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(mean));
  }
}
