// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.memory;

import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Entry;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Pages of the memory store, oldest entries first. */
final class MemoryPages {
  private MemoryPages() {}

  static Page page(List<Entry> entries, Query query) {
    TreeMap<String, Entry> ordered = new TreeMap<>(Comparator.naturalOrder());
    for (Entry entry : entries) {
      if (fits(entry, query)) {
        ordered.put(cursor(entry), entry);
      }
    }
    Map<String, Entry> rest =
        query
            .cursor()
            .<Map<String, Entry>>map(after -> ordered.tailMap(after, false))
            .orElse(ordered);
    List<Map.Entry<String, Entry>> page = rest.entrySet().stream().limit(query.limit()).toList();
    Optional<String> next =
        page.size() < rest.size()
            ? Optional.of(page.get(page.size() - 1).getKey())
            : Optional.empty();
    return new Page(page.stream().map(Map.Entry::getValue).toList(), next);
  }

  private static boolean fits(Entry entry, Query query) {
    return query.states().contains(entry.state())
        && query.account().map(entry.key().scope().account()::equals).orElse(true)
        && query.endpoint().map(entry.key().scope().endpoint()::equals).orElse(true)
        && query.key().map(entry.key().value()::equals).orElse(true)
        && entry.age().compareTo(query.olderThan()) >= 0;
  }

  private static String cursor(Entry entry) {
    long micros = MemoryRow.micros(entry.times().createdAt());
    return "%016x%s".formatted(micros, HexFormat.of().formatHex(entry.key().digest()));
  }
}
