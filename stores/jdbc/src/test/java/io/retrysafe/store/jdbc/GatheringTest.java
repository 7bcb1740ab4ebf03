// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a batch waits for more, on a clock that only its pauses move. */
final class GatheringTest {
  private long now;
  private int pauses;
  private final Gathering gathering =
      new Gathering(
          () -> now,
          nanos -> {
            now += nanos;
            pauses++;
          });

  /** Returns the size of a batch to which so many calls come at each look. */
  private int batch(int first, int... later) {
    List<Integer> batch = new ArrayList<>();
    int[] looks = {0};
    pauses = 0;
    gathering.gather(
        batch,
        () -> {
          int look = looks[0]++;
          int come = look == 0 ? first : look <= later.length ? later[look - 1] : 0;
          for (int i = 0; i < come; i++) {
            batch.add(look);
          }
          return false;
        });
    return batch.size();
  }

  private void load(int size) {
    for (int i = 0; i < 100; i++) {
      batch(size);
    }
  }

  @Test
  void aLoneCallAndAFewGoOutAtOnce() {
    assertThat(batch(1, 5)).isEqualTo(1);
    load(20);
    assertThat(batch(1, 5)).isEqualTo(1);
    assertThat(pauses).isZero();
  }

  @Test
  void whatIsSmallForTheLoadWaitsForHalfOfTheUsual() {
    load(60);
    assertThat(batch(3, 10, 20, 20)).isEqualTo(33);
    assertThat(pauses).isEqualTo(2);
    assertThat(batch(31, 20)).as("half is enough").isEqualTo(31);
    assertThat(pauses).isZero();
  }

  @Test
  void itWaitsForAMomentOnly() {
    load(60);
    long start = now;
    assertThat(batch(1)).isEqualTo(1);
    assertThat(now - start).isBetween(2_000_000L, 3_000_000L);
  }

  @Test
  void nothingIsWaitedForWhereNothingCame() {
    load(60);
    assertThat(batch(0, 5)).isZero();
    assertThat(pauses).isZero();
    assertThat(batch(1, 40)).as("the load is still the same").isEqualTo(41);
  }

  @Test
  void whenTheLoadIsOverItStopsWaitingSoon() {
    load(100);
    long start = now;
    for (int i = 0; i < 100; i++) {
      batch(1);
    }
    assertThat(now - start).isLessThan(40_000_000L);
    assertThat(batch(1, 5)).isEqualTo(1);
    assertThat(pauses).isZero();
  }
}
