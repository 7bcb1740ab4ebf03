// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History.Event;
import java.util.ArrayList;
import java.util.List;

/** Events as six strings each: kind, writer, first, last, count, detail. */
final class EventFormat {
  private static final int PARTS = 6;

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

  static List<Event> read(OperationKey key, List<Object> answer) {
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
