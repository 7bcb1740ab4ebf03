// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Who waits in this process for which operation, so that they can be woken at once. */
final class Waiters {
  private final int most;
  private final AtomicInteger count = new AtomicInteger();
  private final Map<OperationKey, Queue<Waiter>> byKey = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  Waiters(int most) {
    this.most = most;
  }

  /** Returns false if there are too many already, or nobody may wait any more. */
  boolean join(Waiter waiter) {
    if (count.incrementAndGet() > most) {
      count.decrementAndGet();
      return false;
    }
    byKey.compute(
        waiter.key(),
        (key, waiting) -> {
          Queue<Waiter> more = waiting == null ? new ConcurrentLinkedQueue<>() : waiting;
          more.add(waiter);
          return more;
        });
    if (isClosed) {
      leave(waiter);
      return false;
    }
    return true;
  }

  void leave(Waiter waiter) {
    byKey.computeIfPresent(
        waiter.key(),
        (key, waiting) -> {
          if (waiting.remove(waiter)) {
            count.decrementAndGet();
          }
          return waiting.isEmpty() ? null : waiting;
        });
  }

  void wake(OperationKey key) {
    Queue<Waiter> waiting = byKey.get(key);
    if (waiting != null) {
      waiting.forEach(Waiter::wake);
    }
  }

  /** Sends everybody away, now and from now on: there is nobody left to wake them. */
  void close() {
    isClosed = true;
    byKey.values().forEach(waiting -> waiting.forEach(Waiter::dismiss));
  }
}
