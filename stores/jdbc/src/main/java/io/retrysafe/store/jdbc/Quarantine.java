// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.Scope;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The scopes whose values the database refused within the last seconds. Calls of such a scope share
 * no batch with calls of other scopes: a refused call fails its whole batch.
 */
final class Quarantine {
  private static final long PERIOD = Duration.ofSeconds(10).toNanos();
  private static final int MOST_SCOPES = 1_000;

  private final ConcurrentHashMap<Scope, Long> ends = new ConcurrentHashMap<>();
  private final LongSupplier nanos;

  Quarantine(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Adds a scope for the next seconds. Beyond the largest number of scopes nothing is added. */
  void add(@Nullable Scope scope) {
    if (scope == null) {
      return;
    }
    long now = nanos.getAsLong();
    if (ends.size() >= MOST_SCOPES) {
      ends.values().removeIf(end -> end - now < 0);
    }
    if (ends.size() < MOST_SCOPES || ends.containsKey(scope)) {
      ends.put(scope, now + PERIOD);
    }
  }

  /** Returns whether calls of this scope have to be kept apart. */
  boolean contains(@Nullable Scope scope) {
    if (scope == null || ends.isEmpty()) {
      return false;
    }
    Long end = ends.get(scope);
    if (end == null) {
      return false;
    }
    if (end - nanos.getAsLong() >= 0) {
      return true;
    }
    ends.remove(scope, end);
    return false;
  }
}
