// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Operators' actions on all operations: a sorted set by their time. A member is the whole action,
 * so that one which is sent again is there once. The newest 10,000 are kept.
 */
final class Audit {
  private static final int MOST = 10_000;

  private final Calls calls;
  private final byte[] name;

  Audit(Calls calls, String namespace) {
    this.calls = calls;
    this.name = Name.audit(namespace);
  }

  void add(List<Event> events) {
    RedisClusterAsyncCommands<byte[], byte[]> commands = calls.link().commands();
    for (Event event : events) {
      if (event.kind().equals(History.RESOLVED)) {
        double at = Micros.number(Micros.of(event.first()));
        calls.await(commands.zadd(name, at, write(event)));
        calls.await(commands.zremrangebyrank(name, 0, -MOST - 1));
      }
    }
  }

  List<Event> list(Instant before, int limit) {
    double end = Micros.number(Micros.of(before));
    List<byte[]> members =
        calls.await(
            calls
                .link()
                .commands()
                .zrevrangebyscore(
                    name,
                    Range.from(Boundary.unbounded(), Boundary.excluding(end)),
                    Limit.from(limit)));
    List<Event> events = new ArrayList<>();
    for (byte[] member : members) {
      events.add(read(member));
    }
    return events;
  }

  /** The key and the six parts of an event, each with its length. */
  private static byte[] write(Event event) {
    List<byte[]> parts = new ArrayList<>();
    parts.add(event.key().toBytes());
    parts.addAll(EventFormat.write(event));
    ByteBuffer out =
        ByteBuffer.allocate(parts.stream().mapToInt(part -> Integer.BYTES + part.length).sum());
    parts.forEach(part -> out.putInt(part.length).put(part));
    return out.array();
  }

  private static Event read(byte[] member) {
    ByteBuffer in = ByteBuffer.wrap(member);
    OperationKey key = OperationKey.ofBytes(part(in));
    List<Object> parts = new ArrayList<>();
    while (in.hasRemaining()) {
      parts.add(part(in));
    }
    return EventFormat.read(key, parts).get(0);
  }

  private static byte[] part(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] part = new byte[length];
    in.get(part);
    return part;
  }
}
