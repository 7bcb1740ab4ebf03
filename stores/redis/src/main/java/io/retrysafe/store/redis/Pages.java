// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Entry;
import io.retrysafe.store.State;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Pages of entries: unsettled ones through their indexes, oldest first; where settled ones are
 * asked for too, by a walk over all keys.
 */
final class Pages {
  private static final Set<State> UNSETTLED =
      EnumSet.of(State.IN_PROGRESS, State.UNKNOWN, State.RESUMABLE);

  private final UnsettledPages unsettled;
  private final AllPages all;

  Pages(Calls calls, Lane finds, String namespace) {
    this.unsettled = new UnsettledPages(calls, finds, namespace);
    this.all = new AllPages(calls, finds, namespace);
  }

  Page page(Query query) {
    return UNSETTLED.containsAll(query.states()) ? unsettled.page(query) : all.page(query);
  }

  static boolean fits(Optional<Entry> found, Query query) {
    if (found.isEmpty()) {
      return false;
    }
    Entry entry = found.get();
    return query.states().contains(entry.state())
        && query.account().map(entry.key().scope().account()::equals).orElse(true)
        && query.endpoint().map(entry.key().scope().endpoint()::equals).orElse(true)
        && query.key().map(entry.key().value()::equals).orElse(true)
        && entry.age().compareTo(query.olderThan()) >= 0;
  }

  static IllegalArgumentException wrong(String cursor) {
    return new IllegalArgumentException("this cursor is not one of this listing: " + cursor);
  }
}
