// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

/**
 * Counts durations in buckets whose width grows with them: 64 for every doubling, so within 1.6
 * percent.
 */
final class Histogram {
  private static final int SUB_BITS = 6;
  private static final int SUB = 1 << SUB_BITS;

  private final long[] buckets = new long[(Long.SIZE - SUB_BITS) * SUB];
  private long count;
  private long total;

  void record(long nanos) {
    long value = Math.max(0, nanos);
    buckets[bucket(value)]++;
    count++;
    total += value;
  }

  void add(Histogram other) {
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] += other.buckets[i];
    }
    count += other.count;
    total += other.total;
  }

  long count() {
    return count;
  }

  double mean() {
    return count == 0 ? 0 : (double) total / count;
  }

  /**
   * Returns the duration that {@code share} of all did not exceed, as the upper end of its bucket.
   */
  long percentile(double share) {
    long rank = Math.max(1, (long) Math.ceil(share * count));
    long seen = 0;
    for (int i = 0; i < buckets.length; i++) {
      seen += buckets[i];
      if (seen >= rank) {
        return upperEnd(i);
      }
    }
    return 0;
  }

  private static int bucket(long value) {
    if (value < SUB) {
      return (int) value;
    }
    int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(value) - SUB_BITS;
    return (shift << SUB_BITS) + (int) (value >>> shift);
  }

  private static long upperEnd(int bucket) {
    if (bucket < 2 * SUB) {
      return bucket;
    }
    int shift = (bucket >>> SUB_BITS) - 1;
    long low = (long) (bucket - (shift << SUB_BITS)) << shift;
    return low + (1L << shift) - 1;
  }
}
