// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The last events of each key of the memory store. */
final class MemoryHistory {
  private static final int MOST = 100;

  private final ConcurrentHashMap<OperationKey, List<Event>> events = new ConcurrentHashMap<>();

  void append(List<Event> more, Predicate<OperationKey> isKept) {
    for (Event event : more) {
      if (isKept.test(event.key())) {
        events.merge(event.key(), List.of(event), (old, one) -> joined(old, one.get(0)));
      }
    }
  }

  List<Event> of(OperationKey key) {
    return events.getOrDefault(key, List.of());
  }

  void forget(OperationKey key) {
    events.remove(key);
  }

  private static List<Event> joined(List<Event> old, Event event) {
    List<Event> all = new ArrayList<>(old);
    int same = event.kind().equals("replayed") ? indexOfReplays(all, event) : -1;
    if (same >= 0) {
      Event before = all.get(same);
      all.set(
          same,
          new Event(
              event.key(),
              event.kind(),
              event.by(),
              before.first(),
              event.last(),
              before.count() + event.count(),
              event.detail()));
    } else {
      all.add(event);
    }
    return List.copyOf(all.size() > MOST ? all.subList(all.size() - MOST, all.size()) : all);
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
