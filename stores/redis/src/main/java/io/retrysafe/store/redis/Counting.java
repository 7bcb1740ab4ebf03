// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.store.Metered.Usage;
import io.retrysafe.store.UsageCount;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Counts all entries with a walk over the servers' keys. Outcomes stay on the servers: only their
 * lengths are asked for.
 */
final class Counting {
  private static final int BATCH = 500;

  private final Calls calls;
  private final byte[] pattern;

  Counting(Calls calls, String namespace) {
    this.calls = calls;
    this.pattern = Name.pattern(namespace);
  }

  Usage usage(long mostEntries, long mostBytes) {
    UsageCount count = UsageCount.create(mostEntries, mostBytes);
    for (StatefulConnection<byte[], byte[]> node : calls.link().nodes().values()) {
      // A walk may meet a key twice while the server's table grows.
      Set<String> seen = new HashSet<>();
      String position = "0";
      do {
        KeyScanCursor<byte[]> batch = calls.scan(node, position, pattern, BATCH);
        add(node, batch.getKeys().stream().filter(Name::isEntry).toList(), seen, count);
        position = batch.getCursor();
      } while (!position.equals("0"));
    }
    return count.usage();
  }

  private void add(
      StatefulConnection<byte[], byte[]> node,
      List<byte[]> keys,
      Set<String> seen,
      UsageCount count) {
    List<RedisFuture<byte[]>> entries = new ArrayList<>();
    List<RedisFuture<byte[]>> steps = new ArrayList<>();
    List<RedisFuture<Long>> outcomes = new ArrayList<>();
    for (byte[] key : keys) {
      if (seen.add(Name.text(key))) {
        entries.add(field(node, key, "entry"));
        steps.add(field(node, key, "steps"));
        outcomes.add(
            calls.send(
                node,
                CommandType.HSTRLEN,
                new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                key,
                key,
                Name.ascii("outcome")));
      }
    }
    for (int i = 0; i < entries.size(); i++) {
      byte @Nullable [] entry = calls.await(entries.get(i));
      byte @Nullable [] size = calls.await(steps.get(i));
      long outcome = calls.await(outcomes.get(i));
      if (entry != null && !Row.isFreed(entry)) {
        long stepBytes = size == null ? 0 : Long.parseLong(Name.text(size));
        count.add(Row.account(entry), Row.keySize(entry) + stepBytes + outcome);
      }
    }
  }

  private RedisFuture<byte[]> field(
      StatefulConnection<byte[], byte[]> node, byte[] key, String field) {
    return calls.send(
        node,
        CommandType.HGET,
        new ValueOutput<>(ByteArrayCodec.INSTANCE),
        key,
        key,
        Name.ascii(field));
  }
}
