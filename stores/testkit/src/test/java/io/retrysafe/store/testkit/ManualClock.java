// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is told to move. */
final class ManualClock implements InstantSource {
  private volatile Instant now = Instant.parse("2026-01-02T03:04:05.678901Z");

  @Override
  public Instant instant() {
    return now;
  }

  synchronized void advance(Duration time) {
    now = now.plus(time);
  }
}
