// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.store;

import io.retrysafe.store.Metered;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Adds up what accounts hold, for stores that count entry by entry. For one thread. */
public final class UsageCount {
  private final Map<String, long[]> byAccount = new HashMap<>();
  private final long mostEntries;
  private final long mostBytes;
  private long entries;
  private long bytes;

  /** Returns a count that has not begun; the limits are those of {@link Metered#usage}. */
  public static UsageCount create(long mostEntries, long mostBytes) {
    return new UsageCount(mostEntries, mostBytes);
  }

  private UsageCount(long mostEntries, long mostBytes) {
    this.mostEntries = mostEntries;
    this.mostBytes = mostBytes;
  }

  /** Adds an entry with so many bytes in its key, steps and outcome. */
  public void add(String account, long size) {
    long[] sums = byAccount.computeIfAbsent(account, key -> new long[2]);
    sums[0]++;
    sums[1] += size + Metered.ENTRY_BYTES;
    entries++;
    bytes += size + Metered.ENTRY_BYTES;
  }

  /** Returns what was counted so far. */
  public Metered.Usage usage() {
    Set<String> large = new HashSet<>();
    byAccount.forEach(
        (account, sums) -> {
          if (sums[0] >= mostEntries || sums[1] >= mostBytes) {
            large.add(account);
          }
        });
    return new Metered.Usage(entries, bytes, large);
  }
}
