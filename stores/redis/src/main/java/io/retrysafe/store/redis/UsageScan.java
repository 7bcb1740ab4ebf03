// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.api.StatefulConnection;
import io.retrysafe.internal.store.UsageCount;
import io.retrysafe.store.Metered.Usage;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Counts all entries with a scan over the servers' keys. Outcomes stay on the servers. */
final class UsageScan {
  private static final int KEYS_AT_ONCE = 500;

  private final RedisCommands commands;
  private final BatchLane usages;
  private final byte[] pattern;

  UsageScan(RedisCommands commands, String namespace) {
    this.commands = commands;
    this.usages = commands.lane(Script.USAGE);
    this.pattern = EntryKeys.pattern(namespace);
  }

  Usage usage(long mostEntries, long mostBytes) {
    UsageCount count = UsageCount.create(mostEntries, mostBytes);
    for (StatefulConnection<byte[], byte[]> node : commands.connection().nodes().values()) {
      // A scan may return a key twice while the server's table grows.
      Set<String> seen = new HashSet<>();
      String cursor = "0";
      do {
        KeyScanCursor<byte[]> found = commands.scan(node, cursor, pattern, KEYS_AT_ONCE);
        add(
            found.getKeys().stream()
                .filter(key -> EntryKeys.isEntry(key) && seen.add(EntryKeys.text(key)))
                .map(EntryKeys::ofEntry)
                .toList(),
            count);
        cursor = found.getCursor();
      } while (!cursor.equals("0"));
    }
    return count.usage();
  }

  private void add(List<EntryKeys> entries, UsageCount count) {
    List<ScriptCall> calls =
        entries.stream().map(entry -> commands.call(entry, entry.member())).toList();
    usages.send(calls);
    ScriptCall.awaitAll(
        calls,
        (answer, i) -> {
          if (answer instanceof List<?> fields) {
            byte[] entry = Replies.bytes(fields, 0);
            long bytes = Replies.number(fields, 1) + Replies.number(fields, 2);
            if (!EntryFormat.isFreed(entry)) {
              EntryFormat.key(entry)
                  .ifPresent(key -> count.add(key.scope().account(), key.toBytes().length + bytes));
            }
          }
        });
  }
}
