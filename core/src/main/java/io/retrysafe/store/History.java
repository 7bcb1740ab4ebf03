// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.OperationKey;
import io.retrysafe.internal.UnicodeText;
import java.time.Instant;
import java.util.List;

/**
 * A store that keeps what happened to an entry, for people. Appended in batches off the request
 * path, bounded per entry, kept as long as the entry; under pressure anything may be dropped but an
 * operator's action.
 */
public interface History {
  /** The kind of an answered retry; those of one writer become one event that counts. */
  String REPLAYED = "replayed";

  /** The kind of an operator's action, an {@link AuditRecord}, which is never dropped. */
  String RESOLVED = "resolved";

  /** The kind of an operation that its owner left without knowing what became of it. */
  String UNKNOWN = "unknown";

  /**
   * Appends {@code events}, each to its key; those of absent entries are dropped. An operator's
   * action also goes to the audit, entry or not; the same one twice is there once.
   */
  void append(List<Event> events);

  /** Returns what happened to the key, oldest first. */
  List<Event> history(OperationKey key);

  /**
   * Returns operators' actions on all operations that were first before {@code before}, newest
   * first. They outlive their entries.
   *
   * @param before any moment from 1970 to the year 9999
   * @param limit how many at most, 1 to 1,000
   */
  List<Event> audit(Instant before, int limit);

  /**
   * Something that happened to an entry.
   *
   * <p>Its texts are such that every store can keep them: they are cut at the lengths below, and
   * NUL and lone surrogates are replaced by U+FFFD. So no event keeps the others of its batch from
   * being appended.
   *
   * @param key the operation
   * @param kind what happened, such as {@code claimed}, {@link #REPLAYED} or {@link #RESOLVED}; at
   *     most 64 characters
   * @param by which process saw it; at most 255 characters
   * @param first when it happened first
   * @param last when it happened last
   * @param count how often
   * @param detail a text for people, may be empty, at most 4,000 characters; never a body or a
   *     secret
   */
  record Event(
      OperationKey key,
      String kind,
      String by,
      Instant first,
      Instant last,
      int count,
      String detail) {
    private static final int LONGEST_KIND = 64;
    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_DETAIL = 4000;

    public Event {
      kind = UnicodeText.storable(kind, LONGEST_KIND);
      by = UnicodeText.storable(by, LONGEST_NAME);
      detail = UnicodeText.storable(detail, LONGEST_DETAIL);
    }
  }
}
