// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.api.StatefulConnection;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All entries, in the order of the servers' own walk over their keys. A page ends early when much
 * was walked over and little found, so that no call takes long.
 */
final class AllPages {
  private static final int BATCH = 500;
  private static final int MOST_WALKED = 20_000;

  /** How many entries are read at once; their outcomes are in memory together. */
  private static final int LOOK = 32;

  /** A page ends with the entry whose outcome goes beyond this. */
  private static final long MOST_BYTES = 8L << 20;

  private final Calls calls;
  private final Lane finds;
  private final byte[] pattern;

  AllPages(Calls calls, Lane finds, String namespace) {
    this.calls = calls;
    this.finds = finds;
    this.pattern = Name.pattern(namespace);
  }

  /**
   * Where a walk is.
   *
   * @param node at which server
   * @param scan at which step of its walk
   * @param key after which key of that step
   */
  private record Place(String node, String scan, String key) {
    static Place of(String cursor) {
      String[] parts = cursor.split("/", 3);
      if (parts.length != 3 || !parts[1].matches("[0-9]{1,20}")) {
        throw Pages.wrong(cursor);
      }
      return new Place(parts[0], parts[1], parts[2]);
    }

    Place past(String last) {
      return new Place(node, scan, last);
    }

    Optional<String> cursor() {
      return Optional.of(node + '/' + scan + '/' + key);
    }
  }

  Page page(Query query) {
    Place start = query.cursor().map(Place::of).orElse(new Place("", "0", ""));
    Listed listed = new Listed(query);
    int walked = 0;
    for (Map.Entry<String, StatefulConnection<byte[], byte[]>> node :
        calls.link().nodes().tailMap(start.node()).entrySet()) {
      Place place = node.getKey().equals(start.node()) ? start : new Place(node.getKey(), "0", "");
      for (boolean isOver = false; !isOver; ) {
        KeyScanCursor<byte[]> batch = calls.scan(node.getValue(), place.scan(), pattern, BATCH);
        String last = add(listed, batch.getKeys(), place.key());
        if (isFull(listed)) {
          return listed.page(place.past(last).cursor());
        }
        walked += BATCH;
        isOver = batch.isFinished();
        place = new Place(node.getKey(), batch.getCursor(), "");
        if (!isOver && walked >= MOST_WALKED) {
          return listed.page(place.cursor());
        }
      }
    }
    return listed.page(Optional.empty());
  }

  /** Adds what fits of a step's keys, in their order, and returns the last key looked at. */
  private String add(Listed listed, List<byte[]> keys, String after) {
    List<byte[]> ordered =
        keys.stream()
            .filter(Name::isEntry)
            .filter(key -> Name.text(key).compareTo(after) > 0)
            .sorted(Arrays::compareUnsigned)
            .toList();
    String last = after;
    for (int from = 0; from < ordered.size() && !isFull(listed); from += LOOK) {
      List<byte[]> some = ordered.subList(from, Math.min(ordered.size(), from + LOOK));
      List<Call> sent = new ArrayList<>();
      try {
        for (byte[] key : some) {
          Name name = Name.ofEntry(key);
          sent.add(calls.send(finds, name, name.member(), Row.NOTHING));
        }
        for (int i = 0; i < some.size() && !isFull(listed); i++) {
          Listed.Look look = Listed.Look.at(Name.ofEntry(some.get(i)), sent.get(i));
          last = Name.text(some.get(i));
          if (listed.fits(look)) {
            listed.add(look);
          }
        }
      } finally {
        sent.forEach(Call::giveUp);
      }
    }
    return last;
  }

  /** Returns whether a page has as many entries as asked for, or outcomes of so many bytes. */
  private static boolean isFull(Listed listed) {
    return listed.isFull() || listed.bytes() >= MOST_BYTES;
  }
}
