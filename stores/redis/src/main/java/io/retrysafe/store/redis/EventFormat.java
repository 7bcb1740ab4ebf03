// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History.Event;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Events as six strings each: kind, writer, first, last, count, detail. */
final class EventFormat {
  static final int PARTS = 6;

  private EventFormat() {}

  static List<byte[]> write(Event event) {
    return List.of(
        Row.utf8(event.kind()),
        Row.utf8(event.by()),
        Micros.of(event.first()),
        Micros.of(event.last()),
        Micros.digits(event.count()),
        Row.utf8(event.detail()));
  }

  /** Writes an event as a MessagePack array, which scripts read without asking for its length. */
  static void pack(Event event, ByteArrayOutputStream out) {
    out.write(0x90 | PARTS);
    for (byte[] part : write(event)) {
      packLength(part.length, out);
      out.writeBytes(part);
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
      out.write(length >> 24);
      out.write(length >> 16);
      out.write(length >> 8);
      out.write(length);
    }
  }

  static List<Event> read(OperationKey key, List<?> answer) {
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < answer.size(); i += PARTS) {
      events.add(
          new Event(
              key,
              Row.text(Row.bytes(answer, i)),
              Row.text(Row.bytes(answer, i + 1)),
              Micros.instant(Row.bytes(answer, i + 2)),
              Micros.instant(Row.bytes(answer, i + 3)),
              (int) Micros.number(Row.bytes(answer, i + 4)),
              Row.text(Row.bytes(answer, i + 5))));
    }
    return events;
  }
}
