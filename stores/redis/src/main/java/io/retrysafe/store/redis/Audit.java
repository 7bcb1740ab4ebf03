// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import java.lang.System.Logger.Level;
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
  private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final int MOST = 10_000;

  private final Calls calls;
  private final byte[] name;

  Audit(Calls calls, String namespace) {
    this.calls = calls;
    this.name = Name.audit(namespace);
  }

  void add(List<Event> events) {
    for (Event event : events) {
      if (event.kind().equals(History.RESOLVED)) {
        calls.await(
            calls.send(
                CommandType.ZADD,
                new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                name,
                name,
                Micros.of(event.first()),
                write(event)));
        calls.await(
            calls.send(
                CommandType.ZREMRANGEBYRANK,
                new IntegerOutput<>(ByteArrayCodec.INSTANCE),
                name,
                name,
                Micros.digits(0),
                Micros.digits(-MOST - 1)));
      }
    }
  }

  List<Event> list(Instant before, int limit) {
    List<byte[]> members =
        calls.await(
            calls.send(
                CommandType.ZREVRANGEBYSCORE,
                new ValueListOutput<>(ByteArrayCodec.INSTANCE),
                name,
                name,
                Name.ascii("(" + Row.text(Micros.of(before))),
                Name.ascii("-inf"),
                Name.ascii("LIMIT"),
                Micros.digits(0),
                Micros.digits(limit)));
    List<Event> events = new ArrayList<>();
    for (byte[] member : members) {
      try {
        events.add(read(member));
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "An operator's action in Redis cannot be read and is left out", e);
      }
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
