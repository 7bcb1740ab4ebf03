// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.api.StatefulConnection;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Lists all entries in the order in which the servers scan their keys. If few of the scanned
 * entries match, a page ends early, so that no call takes long.
 */
final class ScanListing {
  private static final int KEYS_AT_ONCE = 500;
  private static final int MOST_KEYS = 20_000;

  /** How many entries are looked up at once; their outcomes may be in memory together. */
  private static final int LOOKUPS_AT_ONCE = 32;

  private final RedisCommands commands;
  private final BatchLane finds;
  private final byte[] pattern;

  ScanListing(RedisCommands commands, BatchLane finds, String namespace) {
    this.commands = commands;
    this.finds = finds;
    this.pattern = EntryKeys.pattern(namespace);
  }

  /**
   * A position in the scan.
   *
   * @param node the server
   * @param scan the cursor of the server's scan
   * @param key the last key that was read of the keys at that cursor
   */
  private record Position(String node, String scan, String key) {
    static Position of(String cursor) {
      String[] fields = cursor.split("/", 3);
      if (fields.length != 3 || !fields[1].matches("[0-9]{1,20}")) {
        throw PageBuilder.wrongCursor(cursor);
      }
      return new Position(fields[0], fields[1], fields[2]);
    }

    Optional<String> cursor() {
      return Optional.of(node + '/' + scan + '/' + key);
    }
  }

  Page page(Query query) {
    Position start = query.cursor().map(Position::of).orElse(new Position("", "0", ""));
    PageBuilder page = new PageBuilder(query);
    int scanned = 0;
    for (Map.Entry<String, StatefulConnection<byte[], byte[]>> node :
        commands.connection().nodes().tailMap(start.node()).entrySet()) {
      String name = node.getKey();
      Position position = name.equals(start.node()) ? start : new Position(name, "0", "");
      for (boolean isOver = false; !isOver; ) {
        KeyScanCursor<byte[]> found =
            commands.scan(node.getValue(), position.scan(), pattern, KEYS_AT_ONCE);
        String last = add(page, found.getKeys(), position.key());
        if (page.isFull()) {
          return page.page(new Position(name, position.scan(), last).cursor());
        }
        scanned += KEYS_AT_ONCE;
        isOver = found.isFinished();
        position = new Position(name, found.getCursor(), "");
        if (!isOver && scanned >= MOST_KEYS) {
          return page.page(position.cursor());
        }
      }
    }
    return page.page(Optional.empty());
  }

  /** Adds the matching entries of one scan step in the order of keys; returns the last key read. */
  private String add(PageBuilder page, List<byte[]> keys, String after) {
    List<EntryKeys> entries =
        keys.stream()
            .filter(key -> EntryKeys.isEntry(key) && EntryKeys.text(key).compareTo(after) > 0)
            .sorted(Arrays::compareUnsigned)
            .map(EntryKeys::ofEntry)
            .toList();
    String last = after;
    for (int from = 0; from < entries.size() && !page.isFull(); from += LOOKUPS_AT_ONCE) {
      List<EntryKeys> some =
          entries.subList(from, Math.min(entries.size(), from + LOOKUPS_AT_ONCE));
      try (EntryLookup lookup = EntryLookup.send(commands, finds, some, false)) {
        for (int i = 0; i < some.size() && !page.isFull(); i++) {
          EntryLookup.Result result = lookup.get(i);
          last = EntryKeys.text(some.get(i).entry());
          if (page.matches(result)) {
            page.add(result);
          }
        }
      }
    }
    return last;
  }
}
