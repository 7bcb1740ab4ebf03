// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads do. */
final class Eventually {
  private static final Duration AT_MOST = Duration.ofSeconds(30);
  private static final Duration PAUSE = Duration.ofMillis(5);

  private Eventually() {}

  /** Waits until {@code isSo}, and fails if that takes too long. */
  static void holds(BooleanSupplier isSo) {
    long end = System.nanoTime() + AT_MOST.toNanos();
    while (!isSo.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("it never came to hold").isNegative();
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }
}
