// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Owner;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Renews the leases of all running operations of an engine: those with the same lease together, at
 * a third of it.
 */
final class Heartbeat {
  private final Seam seam;
  private final Store store;
  private final Asking asking;
  private final Events events;
  private final ConcurrentHashMap<Duration, Group> groups = new ConcurrentHashMap<>();

  Heartbeat(Seam seam, Store store, Asking asking, Events events) {
    this.seam = seam;
    this.store = store;
    this.asking = asking;
    this.events = events;
  }

  void add(Operation operation) {
    groups.computeIfAbsent(operation.policy().lease(), Group::new).add(operation);
  }

  void remove(Operation operation) {
    Group group = groups.get(operation.policy().lease());
    if (group != null) {
      group.members.remove(operation.owner());
    }
  }

  private final class Group {
    final Duration lease;
    final ConcurrentHashMap<Owner, Operation> members = new ConcurrentHashMap<>();
    final AtomicBoolean isBeating = new AtomicBoolean();

    Group(Duration lease) {
      this.lease = lease;
    }

    void add(Operation operation) {
      members.put(operation.owner(), operation);
      beatLater();
    }

    /**
     * Beats only while there is somebody to renew; whoever comes when it has stopped starts it
     * again.
     */
    private void beatLater() {
      if (!isBeating.get() && isBeating.compareAndSet(false, true)) {
        seam.beatAfter(lease.dividedBy(3), this::beat);
      }
    }

    private void beat() {
      try {
        Map<Owner, Operation> running = running();
        if (!running.isEmpty()) {
          renew(running);
        }
      } finally {
        // Also after an error: a heart that stopped once would never beat again.
        isBeating.set(false);
        if (!members.isEmpty()) {
          beatLater();
        }
      }
    }

    private Map<Owner, Operation> running() {
      Map<Owner, Operation> running = new HashMap<>();
      members.forEach(
          (owner, operation) -> {
            if (operation.isOverrun()) {
              members.remove(owner);
              events.emit(
                  Event.Kind.OVERRUN,
                  owner.key(),
                  operation.attempt(),
                  operation.policy().maxRunning());
            } else {
              running.put(owner, operation);
            }
          });
      return running;
    }

    private void renew(Map<Owner, Operation> running) {
      Set<Owner> renewed;
      try {
        renewed = asking.ask(() -> store.renew(running.keySet(), lease));
      } catch (RuntimeException e) {
        // Whatever a store throws must not stop the heart. Two more beats come before the lease
        // ends; until then nothing is lost.
        OperationKey any = running.keySet().iterator().next().key();
        events.emit(Event.Kind.UNAVAILABLE, any, 0, "renewing " + running.size() + " leases: " + e);
        return;
      }
      running.forEach(
          (owner, operation) -> {
            if (!renewed.contains(owner) && members.remove(owner) != null) {
              operation.lose();
            }
          });
    }
  }
}
