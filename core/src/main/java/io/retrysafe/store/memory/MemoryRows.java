// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.memory;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Owner;
import io.retrysafe.store.RefusedCallException;
import io.retrysafe.store.Sweepable.Swept;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a memory store by key, bounded in number. Each change is one atomic step on a key.
 */
final class MemoryRows {
  private static final int FIRST_SWEEP = 1024;

  private final ConcurrentHashMap<OperationKey, MemoryRow> rows = new ConcurrentHashMap<>();
  private final InstantSource clock;
  private final int maxEntries;
  private final MemoryHistory history;
  private final AtomicLong sweepAt;

  MemoryRows(InstantSource clock, int maxEntries, MemoryHistory history) {
    this.clock = clock;
    this.maxEntries = maxEntries;
    this.history = history;
    this.sweepAt = new AtomicLong(Math.min(FIRST_SWEEP, maxEntries));
  }

  /** Returns the time in microseconds. */
  long now() {
    return MemoryRow.micros(clock.instant());
  }

  /** Replaces the row of {@code key}, or null if there is none, by what {@code change} returns. */
  void compute(
      OperationKey key, BiFunction<OperationKey, @Nullable MemoryRow, @Nullable MemoryRow> change) {
    rows.compute(key, change);
  }

  /** Replaces the row of {@code key}, if there is one. */
  void computeIfPresent(
      OperationKey key, BiFunction<OperationKey, MemoryRow, @Nullable MemoryRow> change) {
    rows.computeIfPresent(key, change);
  }

  void forEach(BiConsumer<OperationKey, MemoryRow> each) {
    rows.forEach(each);
  }

  /** Applies {@code change} if the row is the owner's; null means that it is not, or no longer. */
  boolean step(Owner owner, BiFunction<MemoryRow, Long, @Nullable MemoryRow> change) {
    StepAnswer<Boolean> answer = new StepAnswer<>();
    answer.value = false;
    rows.computeIfPresent(
        owner.key(),
        (key, row) -> {
          MemoryRow next = row.isOwnedBy(owner) ? change.apply(row, now()) : null;
          answer.value = next != null;
          return next == null ? row : next;
        });
    return answer.get();
  }

  /** Removes rows that are over, if there are many, and refuses a new key if there is no room. */
  void makeRoom(OperationKey key) {
    long size = rows.mappingCount();
    long due = sweepAt.get();
    if (size >= due && sweepAt.compareAndSet(due, Long.MAX_VALUE)) {
      sweep(Integer.MAX_VALUE);
      sweepAt.set(Math.min(maxEntries, Math.max(FIRST_SWEEP, 2 * rows.mappingCount())));
    }
    if (rows.mappingCount() >= maxEntries && !rows.containsKey(key)) {
      throw new RefusedCallException(
          "the memory store is full with "
              + maxEntries
              + " entries; raise maxEntries or lower the retention",
          null);
    }
  }

  /** Removes at most {@code limit} rows that are over. */
  Swept sweep(int limit) {
    int removed = 0;
    List<Entry> ended = new ArrayList<>();
    for (Map.Entry<OperationKey, MemoryRow> each : rows.entrySet()) {
      if (removed == limit) {
        break;
      }
      OperationKey key = each.getKey();
      MemoryRow row = each.getValue();
      long now = now();
      if (row.isSweepable(now) && remove(key, row)) {
        removed++;
        if (row.phase() != RowPhase.FREED && row.phase() != RowPhase.SETTLED) {
          ended.add(row.entry(key, now));
        }
      }
    }
    return new Swept(removed, ended);
  }

  private boolean remove(OperationKey key, MemoryRow seen) {
    StepAnswer<Boolean> answer = new StepAnswer<>();
    answer.value = false;
    rows.computeIfPresent(
        key,
        (same, row) -> {
          if (!row.equals(seen)) {
            return row;
          }
          answer.value = true;
          history.forget(key);
          return null;
        });
    return answer.get();
  }
}
