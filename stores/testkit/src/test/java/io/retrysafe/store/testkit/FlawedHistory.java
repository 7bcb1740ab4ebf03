// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import io.retrysafe.store.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A history that makes one mistake, or none, beside a store that makes none. */
final class FlawedHistory implements History {
  private static final int MOST = 100;

  private final Store store;
  private final Flaw flaw;
  private final Map<OperationKey, List<Event>> events = new HashMap<>();
  private final List<Event> audit = new ArrayList<>();

  FlawedHistory(Store store, Flaw flaw) {
    this.store = store;
    this.flaw = flaw;
  }

  /** A mistake, and the rule that it breaks. */
  enum Flaw {
    NONE(""),
    SHOWS_THE_NEWEST_FIRST("C-97"),
    KEEPS_A_ROW_FOR_EACH_REPLAY("C-98"),
    GROWS_WITHOUT_BOUND("C-99"),
    DROPS_OPERATORS_ACTIONS("C-99"),
    OUTLIVES_ITS_ENTRY("C-100"),
    AUDITS_ONLY_WHAT_IS_THERE("C-101"),
    AUDITS_TWICE("C-101"),
    DROPS_THE_BATCH_OF_A_BAD_EVENT("C-107");

    final String rule;

    Flaw(String rule) {
      this.rule = rule;
    }
  }

  private boolean isThere(OperationKey key) {
    return flaw == Flaw.OUTLIVES_ITS_ENTRY || store.find(key).isPresent();
  }

  @Override
  public synchronized void append(List<Event> added) {
    boolean isBad = added.stream().anyMatch(event -> event.detail().indexOf('\ufffd') >= 0);
    if (isBad && flaw == Flaw.DROPS_THE_BATCH_OF_A_BAD_EVENT) {
      return;
    }
    for (Event event : added) {
      if (isThere(event.key())) {
        add(events.computeIfAbsent(event.key(), key -> new ArrayList<>()), event);
      }
      boolean isAudited =
          event.kind().equals(RESOLVED)
              && (flaw == Flaw.AUDITS_TWICE || !audit.contains(event))
              && (flaw != Flaw.AUDITS_ONLY_WHAT_IS_THERE || isThere(event.key()));
      if (isAudited) {
        audit.add(event);
      }
    }
  }

  private void add(List<Event> all, Event event) {
    if (event.kind().equals(REPLAYED) && flaw != Flaw.KEEPS_A_ROW_FOR_EACH_REPLAY) {
      for (int i = 0; i < all.size(); i++) {
        Event old = all.get(i);
        if (old.kind().equals(REPLAYED) && old.by().equals(event.by())) {
          int count = old.count() + event.count();
          all.set(
              i,
              new Event(
                  old.key(), REPLAYED, old.by(), old.first(), event.last(), count, event.detail()));
          return;
        }
      }
    }
    all.add(event);
    if (all.size() > MOST && flaw != Flaw.GROWS_WITHOUT_BOUND) {
      boolean isFirst = flaw == Flaw.DROPS_OPERATORS_ACTIONS || !all.get(0).kind().equals(RESOLVED);
      all.remove(isFirst ? 0 : 1);
    }
  }

  @Override
  public synchronized List<Event> history(OperationKey key) {
    if (!isThere(key)) {
      return List.of();
    }
    List<Event> all = new ArrayList<>(events.getOrDefault(key, List.of()));
    if (flaw == Flaw.SHOWS_THE_NEWEST_FIRST) {
      Collections.reverse(all);
    }
    return all;
  }

  @Override
  public synchronized List<Event> audit(Instant before, int limit) {
    return audit.stream()
        .filter(event -> event.first().isBefore(before))
        .sorted(Comparator.comparing(Event::first).reversed())
        .limit(limit)
        .toList();
  }
}
