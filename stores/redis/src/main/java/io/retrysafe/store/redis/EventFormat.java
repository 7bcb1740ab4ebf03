// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History.Event;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Events as six strings each: kind, writer, first, last, count, detail. */
final class EventFormat {
  private static final int STRINGS = 6;

  private EventFormat() {}

  private static List<byte[]> strings(Event event) {
    return List.of(
        EntryFormat.utf8(event.kind()),
        EntryFormat.utf8(event.by()),
        Micros.of(event.first()),
        Micros.of(event.last()),
        Micros.digits(event.count()),
        EntryFormat.utf8(event.detail()));
  }

  /** Writes an event as a MessagePack array, which {@code append.lua} can add without parsing. */
  static void pack(Event event, ByteArrayOutputStream out) {
    out.write(0x90 | STRINGS);
    for (byte[] string : strings(event)) {
      packLength(string.length, out);
      out.writeBytes(string);
    }
  }

  private static void packLength(int length, ByteArrayOutputStream out) {
    if (length < 32) {
      out.write(0xa0 | length);
    } else if (length < 1 << 16) {
      out.write(0xda);
      out.write(length >> 8);
      out.write(length);
    } else {
      out.write(0xdb);
      out.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(length).array());
    }
  }

  /** Reads the answer of {@code history.lua}. */
  static List<Event> read(OperationKey key, List<?> strings) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < strings.size(); i += STRINGS) {
      events.add(
          new Event(
              key,
              Replies.text(Replies.bytes(strings, i)),
              Replies.text(Replies.bytes(strings, i + 1)),
              Micros.instant(Replies.bytes(strings, i + 2)),
              Micros.instant(Replies.bytes(strings, i + 3)),
              (int) Micros.number(Replies.bytes(strings, i + 4)),
              Replies.text(Replies.bytes(strings, i + 5))));
    }
    return events;
  }

  /** Writes a member of the audit log: the key and the strings of an event. */
  static byte[] writeAudit(Event event) {
    List<byte[]> all = new ArrayList<>(List.of(event.key().toBytes()));
    all.addAll(strings(event));
    return EntryFormat.writeBytes(all);
  }

  static Event readAudit(byte[] member) {
    ByteBuffer in = ByteBuffer.wrap(member);
    OperationKey key = OperationKey.ofBytes(EntryFormat.readBytes(in));
    List<byte[]> strings = new ArrayList<>();
    while (in.hasRemaining()) {
      strings.add(EntryFormat.readBytes(in));
    }
    return read(key, strings).get(0);
  }
}
