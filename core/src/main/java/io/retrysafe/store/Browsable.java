// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;
import io.retrysafe.internal.UnicodeText;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A store that can list its entries, eventually right: a change may show up late, nothing is shown
 * that never was.
 */
public interface Browsable {

  /**
   * Returns the entries that fit {@code query}, in a stable order, a page at a time. An entry that
   * cannot be read does not end the listing.
   */
  Page browse(Query query);

  /**
   * Which entries to list.
   *
   * @param states the states; every store can list unsettled entries without reading all entries
   * @param account the account; empty for all
   * @param endpoint the endpoint; empty for all
   * @param key the key; empty for all
   * @param olderThan the least age of an entry
   * @param limit how many at most, 1 to 1,000
   * @param cursor where to continue: the cursor of the last page
   */
  record Query(
      Set<State> states,
      Optional<String> account,
      Optional<String> endpoint,
      Optional<String> key,
      Duration olderThan,
      int limit,
      Optional<String> cursor) {

    public Query {
      states = Set.copyOf(states);
      if (limit < 1 || limit > 1000) {
        throw new IllegalArgumentException("limit must be from 1 to 1000, was " + limit);
      }
      account.ifPresent(text -> UnicodeText.checkedWithoutNul("account", text));
      endpoint.ifPresent(text -> UnicodeText.checkedWithoutNul("endpoint", text));
      key.ifPresent(text -> UnicodeText.checkedWithoutNul("key", text));
      cursor.ifPresent(text -> UnicodeText.checkedWithoutNul("cursor", text));
    }

    /** Returns the query for the first {@code limit} entries in the given states. */
    public static Query of(Set<State> states, int limit) {
      return new Query(
          states,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Duration.ZERO,
          limit,
          Optional.empty());
    }

    /** Returns this query for the page after {@code next}. */
    public Query after(String next) {
      return new Query(states, account, endpoint, key, olderThan, limit, Optional.of(next));
    }
  }

  /**
   * A part of a listing.
   *
   * @param entries the entries
   * @param unreadable what is stored in their midst and cannot be read; together with the entries
   *     at most as many as were asked for
   * @param next the cursor of the next page; empty on the last one
   */
  record Page(List<Entry> entries, List<Unreadable> unreadable, Optional<String> next) {
    public Page {
      entries = List.copyOf(entries);
      unreadable = List.copyOf(unreadable);
    }

    /** A page on which everything can be read. */
    public Page(List<Entry> entries, Optional<String> next) {
      this(entries, List.of(), next);
    }
  }

  /**
   * An entry that is stored and cannot be read: it was damaged, or a later release wrote it. It
   * never ends a listing. If a filter of the query cannot be applied to it, it is listed.
   *
   * @param name its name in the store, for people who inspect the store
   * @param key the operation, where that can be read
   * @param problem why it cannot be read; never a body or a secret
   */
  record Unreadable(String name, Optional<OperationKey> key, String problem) {}
}
