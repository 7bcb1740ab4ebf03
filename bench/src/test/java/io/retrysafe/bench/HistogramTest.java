// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HistogramTest {
  private static final long SEED = 20261115;

  @Test
  void percentilesAreWithinTwoPercentOfTheSortedValues() {
    Random random = new Random(SEED);
    Histogram histogram = new Histogram();
    long[] values = new long[10_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(random.nextDouble() * 25);
      histogram.record(values[i]);
    }
    Arrays.sort(values);
    for (double share : new double[] {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      double exact = (double) values[(int) Math.ceil(share * values.length) - 1];
      assertThat((double) histogram.percentile(share))
          .as("share %s, seed %d", share, SEED)
          .isGreaterThanOrEqualTo(exact)
          .isCloseTo(exact, within(exact * 0.02 + 1));
    }
    assertThat(histogram.mean())
        .isCloseTo(Arrays.stream(values).average().orElseThrow(), within(0.001));
  }

  @Test
  void theLargestDurationFits() {
    Histogram histogram = new Histogram();
    histogram.record(Long.MAX_VALUE);
    assertThat(histogram.percentile(0.5)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void histogramsAddUp() {
    Histogram one = new Histogram();
    one.record(10);
    Histogram two = new Histogram();
    two.record(30);
    two.record(20);
    one.add(two);
    assertThat(one.count()).isEqualTo(3);
    assertThat(one.percentile(0.5)).isEqualTo(20);
    assertThat(one.mean()).isEqualTo(20);
  }
}
