// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SteadyClockTest {

  @Test
  void aJumpOfTheWallClockIsNotFollowed() {
    Instant start = Instant.parse("2026-01-02T03:04:05Z");
    Instant[] wall = {start};
    AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 500);
    SteadyClock clock = new SteadyClock(() -> wall[0], nanos::get);
    assertThat(clock.instant()).isEqualTo(start);

    wall[0] = start.minus(Duration.ofHours(1));
    // Past the largest long: the monotonic clock may wrap, differences stay right.
    nanos.addAndGet(1_000);

    assertThat(clock.instant()).isEqualTo(start.plusNanos(1_000));
  }

  @Test
  void itTellsTheWallTime() {
    assertThat(SteadyClock.create().instant())
        .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
  }
}
