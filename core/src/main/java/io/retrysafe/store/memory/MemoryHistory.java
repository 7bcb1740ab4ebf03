// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.memory;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/** The last events of each key of the memory store, and the last actions of operators. */
final class MemoryHistory {
  private static final int MOST = 100;

  private static final int MOST_AUDITED = 10_000;

  private final ConcurrentHashMap<OperationKey, List<Event>> events = new ConcurrentHashMap<>();
  private final Deque<Event> audit = new ArrayDeque<>();

  /** Keeps an operator's action, the newest first. */
  void audited(Event event) {
    if (event.kind().equals(History.RESOLVED)) {
      synchronized (audit) {
        if (!audit.contains(event)) {
          audit.addFirst(event);
        }
        if (audit.size() > MOST_AUDITED) {
          audit.removeLast();
        }
      }
    }
  }

  List<Event> audit(Instant before, int limit) {
    synchronized (audit) {
      return audit.stream()
          .filter(event -> event.first().isBefore(before))
          .sorted(Comparator.comparing(Event::first).reversed())
          .limit(limit)
          .toList();
    }
  }

  void append(Event event) {
    events.merge(event.key(), List.of(event), (old, one) -> joined(old, event));
  }

  List<Event> of(OperationKey key) {
    return events.getOrDefault(key, List.of());
  }

  void forget(OperationKey key) {
    events.remove(key);
  }

  private static List<Event> joined(List<Event> old, Event event) {
    List<Event> all = new ArrayList<>(old);
    int same = event.kind().equals(History.REPLAYED) ? indexOfReplays(all, event) : -1;
    if (same < 0) {
      all.add(event);
      drop(all);
      return List.copyOf(all);
    }
    Event before = all.get(same);
    int count = before.count() + event.count();
    all.set(
        same,
        new Event(
            event.key(),
            event.kind(),
            event.by(),
            before.first(),
            event.last(),
            count,
            event.detail()));
    return List.copyOf(all);
  }

  /** Drops the oldest event past the bound; an operator's action stays, however many there are. */
  private static void drop(List<Event> all) {
    for (int i = 0; all.size() > MOST && i < all.size(); i++) {
      if (!all.get(i).kind().equals(History.RESOLVED)) {
        all.remove(i);
        return;
      }
    }
  }

  private static int indexOfReplays(List<Event> all, Event event) {
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).kind().equals(event.kind()) && all.get(i).by().equals(event.by())) {
        return i;
      }
    }
    return -1;
  }
}
