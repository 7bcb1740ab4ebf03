// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import io.retrysafe.UnicodeText;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Browsable.Unreadable;
import io.retrysafe.store.Entry;
import io.retrysafe.store.RefusedCallException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a page has so far. An entry that cannot be read is part of it, and does not end it. */
final class Listed {
  private static final int LONGEST_PROBLEM = 300;

  private final Query query;
  private final List<Entry> entries = new ArrayList<>();
  private final List<Unreadable> unreadable = new ArrayList<>();
  private long bytes;

  Listed(Query query) {
    this.query = query;
  }

  /** Returns whether the page has as much as was asked for. */
  boolean isFull() {
    return entries.size() + unreadable.size() == query.limit();
  }

  /** Returns how many bytes the outcomes on the page have. */
  long bytes() {
    return bytes;
  }

  /** An entry as it was found, or why it cannot be read. */
  record Look(Optional<Entry> entry, Optional<Unreadable> unreadable) {

    /** Waits for what {@code find} answers about the entry of this name. */
    static Look at(Name name, Call found) {
      Object answer = Row.NOTHING;
      try {
        answer = found.await();
        return new Look(Row.found(answer), Optional.empty());
      } catch (RefusedCallException e) {
        String problem = UnicodeText.storable(String.valueOf(e.getMessage()), LONGEST_PROBLEM);
        String key = new String(name.entry(), StandardCharsets.US_ASCII);
        return new Look(
            Optional.empty(), Optional.of(new Unreadable(key, Row.key(answer), problem)));
      }
    }
  }

  boolean fits(Look look) {
    return look.unreadable().isPresent()
        ? look.unreadable().get().key().map(this::mayFit).orElse(true)
        : Pages.fits(look.entry(), query);
  }

  private boolean mayFit(OperationKey key) {
    return query.account().map(key.scope().account()::equals).orElse(true)
        && query.endpoint().map(key.scope().endpoint()::equals).orElse(true)
        && query.key().map(key.value()::equals).orElse(true);
  }

  /** Adds what fits. */
  void add(Look look) {
    look.unreadable().ifPresent(unreadable::add);
    look.entry()
        .ifPresent(
            entry -> {
              entries.add(entry);
              bytes += entry.outcome().map(outcome -> outcome.body().size()).orElse(0);
            });
  }

  Page page(Optional<String> next) {
    return new Page(entries, unreadable, next);
  }
}
