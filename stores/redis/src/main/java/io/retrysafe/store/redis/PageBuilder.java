// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Browsable.Unreadable;
import io.retrysafe.store.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Collects the entries of a page. An entry that cannot be read is listed as unreadable. */
final class PageBuilder {
  /** A page is full with the entry whose outcome exceeds this. */
  private static final long MOST_BYTES = 8L << 20;

  private final Query query;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Unreadable> unreadable = new ArrayList<>();
  private long bytes;

  PageBuilder(Query query) {
    this.query = query;
  }

  boolean isFull() {
    return entries.size() + unreadable.size() == query.limit() || bytes >= MOST_BYTES;
  }

  boolean matches(EntryLookup.Result result) {
    if (result.unreadable().isPresent()) {
      return result.unreadable().get().key().map(this::matches).orElse(true);
    }
    return result
        .entry()
        .filter(entry -> query.states().contains(entry.state()) && matches(entry.key()))
        .filter(entry -> entry.age().compareTo(query.olderThan()) >= 0)
        .isPresent();
  }

  private boolean matches(OperationKey key) {
    return query.account().map(key.scope().account()::equals).orElse(true)
        && query.endpoint().map(key.scope().endpoint()::equals).orElse(true)
        && query.key().map(key.value()::equals).orElse(true);
  }

  void add(EntryLookup.Result result) {
    result.unreadable().ifPresent(unreadable::add);
    result.entry().ifPresent(entries::add);
    bytes += result.entry().flatMap(Entry::outcome).map(one -> one.body().size()).orElse(0);
  }

  Page page(Optional<String> next) {
    return new Page(entries, unreadable, next);
  }

  static IllegalArgumentException wrongCursor(String cursor) {
    return new IllegalArgumentException("cursor must come from a page of this list, was " + cursor);
  }
}
