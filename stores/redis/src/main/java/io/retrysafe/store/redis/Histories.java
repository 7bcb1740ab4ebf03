// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.retrysafe.OperationKey;
import io.retrysafe.store.History.Event;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What happened to entries, inside them: one field each.
 *
 * <p><b>Cost.</b> A script takes the events of many entries, because a script for each would cost
 * the server, and the connection that all callers share, about as much as a claim. It takes so few
 * that it is over before a caller could notice. In a cluster a script reaches entries of one slot
 * only.
 */
final class Histories {
  private static final int MOST_ENTRIES = 100;
  private static final byte[] MOST_EVENTS = Micros.digits(100);

  private final Calls calls;
  private final Lane reads;
  private final String namespace;

  Histories(Calls calls, String namespace) {
    this.calls = calls;
    this.reads = calls.lane(Script.HISTORY, Row::isHistory);
    this.namespace = namespace;
  }

  void append(List<Event> events) {
    Map<OperationKey, ByteArrayOutputStream> packed = new LinkedHashMap<>();
    for (Event event : events) {
      EventFormat.pack(
          event, packed.computeIfAbsent(event.key(), key -> new ByteArrayOutputStream(192)));
    }
    boolean isCluster = calls.link().isCluster();
    Map<String, Batch> open = new LinkedHashMap<>();
    packed.forEach(
        (key, added) -> {
          Name name = Name.of(namespace, key);
          String slot = isCluster ? Row.text(name.index()) : "";
          Batch batch = open.computeIfAbsent(slot, one -> new Batch());
          batch.add(name, added.toByteArray());
          if (batch.keys.size() == MOST_ENTRIES) {
            open.remove(slot);
            // One after the other, so that operations get their turn in between.
            batch.send(calls).await();
          }
        });
    List<Calls.SentScript> rest = new ArrayList<>();
    open.values().forEach(batch -> rest.add(batch.send(calls)));
    rest.forEach(Calls.SentScript::await);
  }

  List<Event> of(OperationKey key) {
    Name name = Name.of(namespace, key);
    return calls.send(reads, name, name.member()).await() instanceof List<?> parts
        ? EventFormat.read(key, parts)
        : List.of();
  }

  /** Entries that one script can reach, and their new events. */
  private static final class Batch {
    final List<byte[]> keys = new ArrayList<>();
    final List<byte[]> arguments = new ArrayList<>(List.of(MOST_EVENTS));

    void add(Name name, byte[] events) {
      keys.add(name.entry());
      arguments.add(events);
    }

    Calls.SentScript send(Calls calls) {
      return calls.send(
          Script.APPEND, keys.toArray(byte[][]::new), arguments.toArray(byte[][]::new));
    }
  }
}
