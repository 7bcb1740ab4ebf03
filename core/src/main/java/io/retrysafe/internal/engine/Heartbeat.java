// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Event;
import io.retrysafe.OperationKey;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Renews the leases of all running operations of an engine: those with the same lease together, at
 * a third of it. One call renews a bounded number; those that got no answer are soon renewed again,
 * without the others.
 */
final class Heartbeat {
  /** How many leases one call of the store renews. */
  static final int AT_ONCE = 1_000;

  /** What part of a lease passes before a renewal without an answer is tried again. */
  private static final int RETRY_PART = 30;

  private final EngineRuntime runtime;
  private final Store store;
  private final StoreRetries retries;
  private final Events events;
  private final ConcurrentHashMap<Duration, Group> groups = new ConcurrentHashMap<>();

  Heartbeat(EngineRuntime runtime, Store store, StoreRetries retries, Events events) {
    this.runtime = runtime;
    this.store = store;
    this.retries = retries;
    this.events = events;
  }

  void add(ClaimedOperation operation) {
    groups.computeIfAbsent(operation.policy().lease(), Group::new).add(operation);
  }

  void remove(Owner owner, Duration lease) {
    Group group = groups.get(lease);
    if (group != null) {
      group.members.remove(owner);
    }
  }

  private final class Group {
    final Duration lease;
    final ConcurrentHashMap<Owner, ClaimedOperation> members = new ConcurrentHashMap<>();
    final AtomicBoolean isBeating = new AtomicBoolean();

    /** Who got no answer in the last beat. Belongs to the beat, as the next field does. */
    private Set<Owner> unanswered = Set.of();

    /** When all are renewed again. */
    private long nextBeat;

    Group(Duration lease) {
      this.lease = lease;
    }

    void add(ClaimedOperation operation) {
      members.put(operation.owner(), operation);
      if (!isBeating.get() && isBeating.compareAndSet(false, true)) {
        nextBeat = runtime.nanos() + lease.dividedBy(3).toNanos();
        runtime.beatAfter(lease.dividedBy(3), this::beat);
      }
    }

    /** Beats only while there are claims to renew; the next claim after a stop starts it again. */
    private void beat() {
      try {
        boolean isAll = runtime.nanos() - nextBeat >= 0;
        if (isAll) {
          nextBeat = runtime.nanos() + lease.dividedBy(3).toNanos();
        }
        Set<Owner> failed = new HashSet<>();
        renew(isAll ? members.keySet() : unanswered, failed);
        unanswered = failed;
      } catch (Throwable e) {
        // Whatever it is must not stop the heart.
        unanswered = Set.copyOf(members.keySet());
      } finally {
        beatAgain();
      }
    }

    private void beatAgain() {
      if (members.isEmpty()) {
        isBeating.set(false);
      }
      // A claim may have been added just now, while this was still beating.
      if (isBeating.get() || (!members.isEmpty() && isBeating.compareAndSet(false, true))) {
        Duration untilAll = Duration.ofNanos(Math.max(0, nextBeat - runtime.nanos()));
        Duration retry = lease.dividedBy(RETRY_PART);
        boolean isRetried = !unanswered.isEmpty() && retry.compareTo(untilAll) < 0;
        runtime.beatAfter(isRetried ? retry : untilAll, this::beat);
      }
    }

    private void renew(Set<Owner> owners, Set<Owner> failed) {
      Map<Owner, ClaimedOperation> some = new HashMap<>();
      for (Iterator<Owner> all = owners.iterator(); all.hasNext(); ) {
        Owner owner = all.next();
        ClaimedOperation operation = members.get(owner);
        if (operation != null && !isOverrun(owner, operation)) {
          some.put(owner, operation);
        }
        if (some.size() == AT_ONCE || (!all.hasNext() && !some.isEmpty())) {
          if (!isAnswered(some)) {
            failed.addAll(some.keySet());
          }
          some = new HashMap<>();
        }
      }
    }

    private boolean isOverrun(Owner owner, ClaimedOperation operation) {
      if (!operation.isOverrun()) {
        return false;
      }
      members.remove(owner);
      events.emit(
          Event.Kind.OVERRUN, owner.key(), operation.attempt(), operation.policy().maxRunning());
      return true;
    }

    private boolean isAnswered(Map<Owner, ClaimedOperation> running) {
      Set<Owner> renewed;
      try {
        renewed = retries.ask(() -> store.renew(running.keySet(), lease));
      } catch (Throwable e) {
        // The lease has two thirds left; until it ends nothing is lost.
        OperationKey any = running.keySet().iterator().next().key();
        events.emit(Event.Kind.UNAVAILABLE, any, 0, "renewing " + running.size() + " leases: " + e);
        return false;
      }
      running.forEach(
          (owner, operation) -> {
            if (!renewed.contains(owner) && members.remove(owner) != null) {
              operation.lose();
            }
          });
      return true;
    }
  }
}
