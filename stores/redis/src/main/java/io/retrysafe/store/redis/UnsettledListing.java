// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ScoredValueListOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Lists unsettled entries, oldest first. Each index is sorted by time; the listing merges the first
 * members of all indexes. Members whose entry is gone or settled are removed on the way.
 */
final class UnsettledListing {
  private static final int MEMBERS_AT_ONCE = 100;
  private static final String CURSOR = "[0-9a-f]{16}[0-9a-f]{2}[A-Za-z0-9_-]{32}";

  private final RedisCommands commands;
  private final BatchLane finds;
  private final String namespace;

  UnsettledListing(RedisCommands commands, BatchLane finds, String namespace) {
    this.commands = commands;
    this.finds = finds;
    this.namespace = namespace;
  }

  /** A member of an index. */
  private record Member(long created, int bucket, String id) {
    static final Comparator<Member> ORDER =
        Comparator.comparingLong(Member::created)
            .thenComparingInt(Member::bucket)
            .thenComparing(Member::id);

    static Member of(String cursor) {
      if (!cursor.matches(CURSOR)) {
        throw PageBuilder.wrongCursor(cursor);
      }
      return new Member(
          Long.parseUnsignedLong(cursor, 0, 16, 16),
          Integer.parseInt(cursor, 16, 18, 16),
          cursor.substring(18));
    }

    String cursor() {
      return "%016x%02x%s".formatted(created, bucket, id);
    }
  }

  Page page(Query query) {
    PageBuilder page = new PageBuilder(query);
    Member after = query.cursor().map(Member::of).orElse(new Member(0, 0, ""));
    String last = "";
    while (true) {
      List<Member> members = after(after);
      List<EntryKeys> entries =
          members.stream()
              .map(member -> EntryKeys.of(namespace, member.bucket(), member.id()))
              .toList();
      try (EntryLookup lookup = EntryLookup.send(commands, finds, entries, true)) {
        for (int i = 0; i < members.size(); i++) {
          EntryLookup.Result result = lookup.get(i);
          if (!page.matches(result)) {
            continue;
          }
          if (page.isFull()) {
            return page.page(Optional.of(last));
          }
          page.add(result);
          last = members.get(i).cursor();
        }
      }
      if (members.size() < MEMBERS_AT_ONCE) {
        return page.page(Optional.empty());
      }
      after = members.get(members.size() - 1);
    }
  }

  /** Returns the next members of all indexes together. */
  private List<Member> after(Member before) {
    List<RedisFuture<List<ScoredValue<byte[]>>>> sent = new ArrayList<>();
    for (int bucket = 0; bucket < EntryKeys.BUCKETS; bucket++) {
      byte[] index = EntryKeys.index(namespace, bucket);
      sent.add(
          commands.send(
              CommandType.ZRANGEBYSCORE,
              new ScoredValueListOutput<>(ByteArrayCodec.INSTANCE),
              index,
              index,
              Micros.digits(before.created()),
              EntryKeys.ascii("+inf"),
              EntryKeys.ascii("WITHSCORES"),
              EntryKeys.ascii("LIMIT"),
              Micros.digits(0),
              Micros.digits(MEMBERS_AT_ONCE + 1)));
    }
    List<Member> members = new ArrayList<>();
    for (int bucket = 0; bucket < EntryKeys.BUCKETS; bucket++) {
      for (ScoredValue<byte[]> value : commands.await(sent.get(bucket))) {
        members.add(new Member((long) value.getScore(), bucket, EntryKeys.text(value.getValue())));
      }
    }
    members.removeIf(member -> Member.ORDER.compare(member, before) <= 0);
    members.sort(Member.ORDER);
    return members.size() > MEMBERS_AT_ONCE ? members.subList(0, MEMBERS_AT_ONCE) : members;
  }
}
