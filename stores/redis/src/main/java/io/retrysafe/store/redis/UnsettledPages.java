// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ScoredValueListOutput;
import io.lettuce.core.protocol.CommandType;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Unsettled entries, oldest first. Each index is in the order of time; the first ones of all of
 * them, merged, are the first ones of all. Members whose entry is gone are dropped on the way.
 */
final class UnsettledPages {
  private static final int CHUNK = 100;
  private static final String CURSOR = "[0-9a-f]{16}[0-9a-f]{2}[A-Za-z0-9_-]{32}";

  private static final byte[] MEND = Name.ascii("1");

  private final Calls calls;
  private final Lane finds;
  private final String namespace;

  UnsettledPages(Calls calls, Lane finds, String namespace) {
    this.calls = calls;
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
        throw Pages.wrong(cursor);
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
    Listed listed = new Listed(query);
    Member after = query.cursor().map(Member::of).orElse(new Member(0, 0, ""));
    String last = "";
    while (true) {
      List<Member> members = after(after);
      List<Listed.Look> looks = look(members);
      for (int i = 0; i < members.size(); i++) {
        if (!listed.fits(looks.get(i))) {
          continue;
        }
        if (listed.isFull()) {
          return listed.page(Optional.of(last));
        }
        listed.add(looks.get(i));
        last = members.get(i).cursor();
      }
      if (members.size() < CHUNK) {
        return listed.page(Optional.empty());
      }
      after = members.get(members.size() - 1);
    }
  }

  /** Returns the next members of all indexes together. */
  private List<Member> after(Member before) {
    List<RedisFuture<List<ScoredValue<byte[]>>>> sent = new ArrayList<>();
    for (int bucket = 0; bucket < Name.BUCKETS; bucket++) {
      byte[] index = Name.index(namespace, bucket);
      sent.add(
          calls.send(
              CommandType.ZRANGEBYSCORE,
              new ScoredValueListOutput<>(ByteArrayCodec.INSTANCE),
              index,
              index,
              Micros.digits(before.created()),
              Name.ascii("+inf"),
              Name.ascii("WITHSCORES"),
              Name.ascii("LIMIT"),
              Micros.digits(0),
              Micros.digits(CHUNK + 1)));
    }
    List<Member> members = new ArrayList<>();
    for (int bucket = 0; bucket < Name.BUCKETS; bucket++) {
      for (ScoredValue<byte[]> value : calls.await(sent.get(bucket))) {
        String id = new String(value.getValue(), StandardCharsets.US_ASCII);
        members.add(new Member((long) value.getScore(), bucket, id));
      }
    }
    members.removeIf(member -> Member.ORDER.compare(member, before) <= 0);
    members.sort(Member.ORDER);
    return members.size() > CHUNK ? members.subList(0, CHUNK) : members;
  }

  private List<Listed.Look> look(List<Member> members) {
    List<Name> names = new ArrayList<>();
    List<Call> sent = new ArrayList<>();
    try {
      for (Member member : members) {
        Name name = Name.of(namespace, member.bucket(), member.id());
        names.add(name);
        sent.add(calls.send(finds, name, name.member(), MEND));
      }
      List<Listed.Look> looks = new ArrayList<>();
      for (int i = 0; i < sent.size(); i++) {
        looks.add(Listed.Look.at(names.get(i), sent.get(i)));
      }
      return looks;
    } finally {
      sent.forEach(Call::giveUp);
    }
  }
}
