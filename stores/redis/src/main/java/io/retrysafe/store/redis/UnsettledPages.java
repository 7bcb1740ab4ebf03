// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.redis;

import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScoredValue;
import io.retrysafe.store.Browsable.Page;
import io.retrysafe.store.Browsable.Query;
import io.retrysafe.store.Entry;
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
    List<Entry> entries = new ArrayList<>();
    Member after = query.cursor().map(Member::of).orElse(new Member(0, 0, ""));
    String last = "";
    while (true) {
      List<Member> members = after(after);
      List<Optional<Entry>> found = look(members);
      for (int i = 0; i < members.size(); i++) {
        if (!Pages.fits(found.get(i), query)) {
          continue;
        }
        if (entries.size() == query.limit()) {
          return new Page(entries, Optional.of(last));
        }
        entries.add(found.get(i).orElseThrow());
        last = members.get(i).cursor();
      }
      if (members.size() < CHUNK) {
        return new Page(entries, Optional.empty());
      }
      after = members.get(members.size() - 1);
    }
  }

  /** Returns the next members of all indexes together. */
  private List<Member> after(Member before) {
    Range<Double> range =
        Range.from(Range.Boundary.including((double) before.created()), Range.Boundary.unbounded());
    List<RedisFuture<List<ScoredValue<byte[]>>>> sent = new ArrayList<>();
    for (int bucket = 0; bucket < Name.BUCKETS; bucket++) {
      sent.add(
          calls
              .link()
              .commands()
              .zrangebyscoreWithScores(
                  Name.index(namespace, bucket), range, Limit.create(0, CHUNK + 1)));
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

  private List<Optional<Entry>> look(List<Member> members) {
    List<Call> sent = new ArrayList<>();
    for (Member member : members) {
      Name name = Name.of(namespace, member.bucket(), member.id());
      sent.add(calls.send(finds, name, MEND));
    }
    return sent.stream().map(each -> Row.found(each.await())).toList();
  }
}
