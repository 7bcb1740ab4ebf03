// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.History;
import io.retrysafe.store.History.Event;
import io.retrysafe.store.Sweepable;
import io.retrysafe.testkit.Rule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What people can read about an entry. */
abstract class HistoryRules extends Rules {
  private static final Instant START = Instant.parse("2026-01-02T03:04:05Z");
  private static final Instant FAR = Instant.parse("9999-01-01T00:00:00Z");
  private static final int FLOOD = 1500;
  private static final int BOUND = 1000;

  private final History history;
  private final History others;

  HistoryRules(StoreFixture fixture) {
    super(fixture);
    this.history = offered(store, History.class);
    this.others = offered(second, History.class);
  }

  private static Event event(OperationKey key, String kind, int second, String detail) {
    Instant at = START.plusSeconds(second);
    return new Event(key, kind, "host-1/7", at, at, 1, detail);
  }

  @Rule("C-97")
  void eventsComeBackOldestFirstByKey() {
    OperationKey one = running().key();
    OperationKey two = running().key();
    Event claimed = event(one, "claimed", 0, "");
    Event completed = event(one, "completed", 2, "naïve ✓ '\";--");
    Event elsewhere = event(two, "claimed", 1, "attempt 1");

    history.append(List.of(claimed, elsewhere));
    others.append(List.of(completed));

    assertThat(others.history(one)).containsExactly(claimed, completed);
    assertThat(history.history(two)).containsExactly(elsewhere);
    assertThat(history.history(freshKey())).isEmpty();
  }

  @Rule("C-98")
  void replaysOfOneWriterBecomeOneEventThatCounts() {
    OperationKey key = settled().key();
    Event other = new Event(key, History.REPLAYED, "host-2/9", START, START, 4, "");

    history.append(List.of(event(key, "claimed", 0, ""), event(key, History.REPLAYED, 1, "")));
    history.append(List.of(other));
    history.append(List.of(event(key, History.REPLAYED, 9, "")));

    List<Event> replays =
        others.history(key).stream().filter(e -> e.kind().equals(History.REPLAYED)).toList();
    assertThat(replays)
        .containsExactlyInAnyOrder(
            new Event(
                key,
                History.REPLAYED,
                "host-1/7",
                START.plusSeconds(1),
                START.plusSeconds(9),
                2,
                ""),
            other);
  }

  @Rule("C-100")
  void theHistoryEndsWithItsEntry() {
    Claim claim = settled();
    history.append(List.of(event(claim.key(), "claimed", 0, "")));
    fixture.advance(RETENTION.plusDays(1));
    store.capability(Sweepable.class).ifPresent(sweepable -> sweepable.sweep(Integer.MAX_VALUE));

    assertThat(others.history(claim.key())).isEmpty();
    history.append(List.of(event(claim.key(), "completed", 1, "late")));
    assertThat(history.history(claim.key())).isEmpty();
  }

  @Rule("C-101")
  void operatorsActionsOutliveTheirEntriesAndAreListedNewestFirst() {
    OperationKey gone = freshKey();
    OperationKey one = running().key();
    // Past everything else that this store may hold.
    Event first = event(gone, History.RESOLVED, 1_000_000_001, "Forget by alice: test data");
    Event second = event(one, History.RESOLVED, 1_000_000_002, "Done by böb: \u2713 '\";--");

    history.append(List.of(first, event(one, "claimed", 1_000_000_003, "")));
    others.append(List.of(second));
    others.append(List.of(second));

    Instant end = START.plusSeconds(1_000_000_003);
    assertThat(others.audit(end, 2)).containsExactly(second, first);
    assertThat(history.audit(end, 1)).containsExactly(second);
    assertThat(history.audit(second.first(), 1)).containsExactly(first);
    assertThat(history.audit(FAR, 1000)).containsSubsequence(second, first);
    assertThat(history.audit(Instant.EPOCH, 1000)).isEmpty();
  }

  @Rule("C-107")
  void whateverAnEventSaysTheOthersOfItsBatchAreAppended() {
    OperationKey key = running().key();
    List<Event> batch =
        List.of(
            event(key, "claimed", 0, "attempt 1"),
            event(key, "step", 1, "NUL \0 and half of a pair \ud83d and \udc00"),
            new Event(key, "overrun", "host\0\ud800".repeat(100), START, START, 1, ""),
            event(key, "\0".repeat(1000), 3, ""),
            event(key, "lost_claim", 4, "✓\ud83d\ude00".repeat(100_000)),
            event(key, History.RESOLVED, 5, "Done by a\0b: \ud800"),
            event(key, "completed", 6, "attempt 1"));

    history.append(batch);

    List<Event> kept = others.history(key);
    assertThat(kept).isEqualTo(batch);
    assertThat(kept.get(1).detail()).isEqualTo("NUL \ufffd and half of a pair \ufffd and \ufffd");
    assertThat(others.audit(FAR, 1000)).contains(batch.get(5));
  }

  @Rule("C-99")
  void aFloodIsBoundedAndDropsNoOperatorsAction() {
    OperationKey key = running().key();
    Event resolved = event(key, History.RESOLVED, 0, "by alice: not done");
    history.append(List.of(resolved));
    List<Event> flood = new ArrayList<>();
    for (int i = 1; i <= FLOOD; i++) {
      flood.add(event(key, "conflict", i, ""));
    }
    history.append(flood);

    List<Event> kept = others.history(key);

    assertThat(kept).hasSizeLessThanOrEqualTo(BOUND).contains(resolved);
    assertThat(kept.get(kept.size() - 1)).isEqualTo(flood.get(FLOOD - 1));
  }
}
