// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Entry;
import java.nio.charset.StandardCharsets;
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
    List<Entry> entries = new ArrayList<>();
    int walked = 0;
    for (Map.Entry<String, RedisClusterAsyncCommands<byte[], byte[]>> node :
        calls.link().nodes().tailMap(start.node()).entrySet()) {
      Place place = node.getKey().equals(start.node()) ? start : new Place(node.getKey(), "0", "");
      for (boolean isOver = false; !isOver; ) {
        KeyScanCursor<byte[]> batch = scan(node.getValue(), place.scan());
        String last = add(entries, query, batch.getKeys(), place.key());
        if (entries.size() == query.limit()) {
          return new Page(entries, place.past(last).cursor());
        }
        walked += BATCH;
        isOver = batch.isFinished();
        place = new Place(node.getKey(), batch.getCursor(), "");
        if (!isOver && walked >= MOST_WALKED) {
          return new Page(entries, place.cursor());
        }
      }
    }
    return new Page(entries, Optional.empty());
  }

  private KeyScanCursor<byte[]> scan(
      RedisClusterAsyncCommands<byte[], byte[]> node, String position) {
    ScanArgs arguments = ScanArgs.Builder.limit(BATCH).match(pattern);
    return calls.await(node.scan(ScanCursor.of(position), arguments));
  }

  /** Adds what fits of a step's keys, in their order, and returns the last key looked at. */
  private String add(List<Entry> entries, Query query, List<byte[]> keys, String after) {
    List<byte[]> ordered =
        keys.stream()
            .filter(Name::isEntry)
            .filter(key -> text(key).compareTo(after) > 0)
            .sorted(Arrays::compareUnsigned)
            .toList();
    List<Call> sent = new ArrayList<>();
    for (byte[] key : ordered) {
      sent.add(calls.send(finds, Name.ofEntry(key), Row.NOTHING));
    }
    String last = after;
    for (int i = 0; i < ordered.size() && entries.size() < query.limit(); i++) {
      Optional<Entry> found = Row.found(sent.get(i).await());
      last = text(ordered.get(i));
      if (Pages.fits(found, query)) {
        entries.add(found.orElseThrow());
      }
    }
    return last;
  }

  private static String text(byte[] key) {
    return new String(key, StandardCharsets.US_ASCII);
  }
}
