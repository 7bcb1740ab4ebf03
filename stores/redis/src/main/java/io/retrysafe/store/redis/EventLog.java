// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ValueListOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.OperationKey;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import java.io.ByteArrayOutputStream;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The history of each entry, one field in the entry, and the audit log, a sorted set of operators'
 * actions by time. A member of the audit log is the whole action, so repeating a write changes
 * nothing.
 */
final class EventLog {
  private static final System.Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final int MOST_EVENTS = 100;
  private static final int MOST_ACTIONS = 10_000;

  private final RedisCommands commands;
  private final BatchLane appends;
  private final BatchLane histories;
  private final BatchLane actions;
  private final String namespace;
  private final byte[] auditKey;

  EventLog(RedisCommands commands, String namespace) {
    this.commands = commands;
    this.appends = commands.lane(Script.APPEND, Micros.digits(MOST_EVENTS));
    this.histories = commands.lane(Script.HISTORY);
    this.actions = commands.lane(Script.AUDIT, Micros.digits(-MOST_ACTIONS));
    this.namespace = namespace;
    this.auditKey = EntryKeys.audit(namespace);
  }

  void append(List<Event> events) {
    Map<OperationKey, ByteArrayOutputStream> packed = new LinkedHashMap<>();
    List<ScriptCall> audited = new ArrayList<>();
    for (Event event : events) {
      EventFormat.pack(
          event, packed.computeIfAbsent(event.key(), key -> new ByteArrayOutputStream(192)));
      if (event.kind().equals(History.RESOLVED)) {
        byte[] time = Micros.of(event.first());
        audited.add(commands.call(new byte[][] {auditKey}, time, EventFormat.writeAudit(event)));
      }
    }
    List<ScriptCall> appended = new ArrayList<>();
    packed.forEach(
        (key, added) -> {
          EntryKeys entry = EntryKeys.of(namespace, key);
          appended.add(commands.call(entry, entry.member(), added.toByteArray()));
        });
    actions.send(audited);
    appends.send(appended);
    ScriptCall.awaitAll(audited, (answer, i) -> {});
    ScriptCall.awaitAll(appended, (answer, i) -> {});
  }

  List<Event> history(OperationKey key) {
    EntryKeys entry = EntryKeys.of(namespace, key);
    ScriptCall call = histories.send(commands.call(entry, entry.member()));
    return call.await() instanceof List<?> strings ? EventFormat.read(key, strings) : List.of();
  }

  List<Event> audit(Instant before, int limit) {
    List<byte[]> members =
        commands.await(
            commands.send(
                CommandType.ZREVRANGEBYSCORE,
                new ValueListOutput<>(ByteArrayCodec.INSTANCE),
                auditKey,
                auditKey,
                EntryKeys.ascii("(" + EntryKeys.text(Micros.of(before))),
                EntryKeys.ascii("-inf"),
                EntryKeys.ascii("LIMIT"),
                Micros.digits(0),
                Micros.digits(limit)));
    List<Event> events = new ArrayList<>();
    for (byte[] member : members) {
      try {
        events.add(EventFormat.readAudit(member));
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "The audit log in Redis has an unreadable action; it is skipped", e);
      }
    }
    return events;
  }
}
