// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Store;
import io.retrysafe.store.Wakeups;
import io.retrysafe.store.Wakeups.Watch;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who waits in this process for which operation, so that they can be woken at once: by its end in
 * this process, and where the store tells, by its end in another.
 */
final class Waiters {
  private static final Logger LOG = System.getLogger("io.retrysafe");

  private final int most;
  private final Wakeups wakeups;
  private final AtomicInteger count = new AtomicInteger();
  private final Map<OperationKey, Group> byKey = new ConcurrentHashMap<>();
  private volatile boolean isClosed;

  Waiters(int most, Store store) {
    this.most = most;
    this.wakeups = store.capability(Wakeups.class).orElse((key, wake) -> () -> {});
  }

  /** Those who wait for one operation. */
  private record Group(Queue<Waiter> waiting, Watch watch) {}

  /** Returns false if there are too many already, or the engine is closed. */
  boolean join(Waiter waiter) {
    if (count.incrementAndGet() > most) {
      count.decrementAndGet();
      return false;
    }
    byKey.compute(
        waiter.key(),
        (key, group) -> {
          Group same = group == null ? group(key) : group;
          same.waiting().add(waiter);
          return same;
        });
    if (isClosed) {
      leave(waiter);
      return false;
    }
    return true;
  }

  private Group group(OperationKey key) {
    return new Group(new ConcurrentLinkedQueue<>(), watch(key));
  }

  /** A store whose wake-ups fail must not keep callers from waiting or leaving. */
  private Watch watch(OperationKey key) {
    Watch watch;
    try {
      watch = wakeups.watch(key, () -> wake(key));
    } catch (Throwable e) {
      LOG.log(Level.WARNING, "the store cannot tell when an operation ends", e);
      return () -> {};
    }
    return () -> {
      try {
        watch.close();
      } catch (Throwable e) {
        LOG.log(Level.WARNING, "the store still tells when an operation ends", e);
      }
    };
  }

  void leave(Waiter waiter) {
    byKey.computeIfPresent(
        waiter.key(),
        (key, group) -> {
          if (group.waiting().remove(waiter)) {
            count.decrementAndGet();
          }
          if (!group.waiting().isEmpty()) {
            return group;
          }
          group.watch().close();
          return null;
        });
  }

  void wake(OperationKey key) {
    // Most operations end without a waiting caller.
    Group group = count.get() == 0 ? null : byKey.get(key);
    if (group != null) {
      group.waiting().forEach(Waiter::wake);
    }
  }

  /** Answers all waiting callers, now and from now on: nothing would wake them. */
  void close() {
    isClosed = true;
    byKey.values().forEach(group -> group.waiting().forEach(Waiter::dismiss));
  }
}
