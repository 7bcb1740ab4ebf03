// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Sweepable;
import io.retrysafe.store.Sweepable.Swept;
import io.retrysafe.testkit.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a sweep removes, and what not. */
abstract class SweepingRules extends Rules {
  private static final int MANY = 60;

  private final Sweepable sweeper;
  private final Sweepable otherSweeper;

  SweepingRules(StoreFixture fixture) {
    super(fixture);
    this.sweeper = offered(store, Sweepable.class);
    this.otherSweeper = offered(second, Sweepable.class);
  }

  /** Sweeps until nothing is left, so that the next sweep finds only what its test made. */
  private List<Entry> sweepAll() {
    List<Entry> unsettled = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      Swept swept = sweeper.sweep(1000);
      unsettled.addAll(swept.unsettled());
      if (swept.removed() == 0) {
        return unsettled;
      }
    }
    throw new AssertionError("sweeping never came to an end");
  }

  private void advancePastEverything() {
    fixture.advance(LEASE.plus(RETENTION).plus(store.profile().unsettledRetention()).plus(MARGIN));
  }

  @Rule("C-76")
  void expiredAndFreedEntriesAreRemovedUpToTheLimit() {
    advancePastEverything();
    sweepAll();
    for (int i = 0; i < 5; i++) {
      settled();
      released(LeaveAs.FREE);
    }
    fixture.advance(RETENTION.plus(MARGIN));

    assertThat(sweeper.sweep(4).removed()).isEqualTo(4);
    assertThat(otherSweeper.sweep(100).removed()).isEqualTo(6);
    assertThat(sweeper.sweep(100).removed()).isZero();
  }

  @Rule("C-77")
  void entriesWhoseTimeIsNotOverStay() {
    List<Entry> live = new ArrayList<>();
    live.add(entry(lapsed().key()));
    live.add(entry(running().key()));
    live.add(entry(released(LeaveAs.RESUMABLE).key()));
    live.add(entry(released(LeaveAs.UNKNOWN).key()));
    live.add(entry(settled().key()));

    List<Entry> ended = sweepAll();

    live.forEach(this::assertUnchanged);
    assertThat(ended).extracting(Entry::key).doesNotContainAnyElementsOf(keys(live));
  }

  private static List<OperationKey> keys(List<Entry> entries) {
    return entries.stream().map(Entry::key).toList();
  }

  @Rule("C-78")
  void entriesThatEndUnsettledAreReported() {
    Claim running = running();
    Claim resumable = released(LeaveAs.RESUMABLE);
    Claim unknown = released(LeaveAs.UNKNOWN);
    Claim settled = settled();
    Claim freed = released(LeaveAs.FREE);
    advancePastEverything();

    List<Entry> ended = sweepAll();

    assertThat(ended)
        .extracting(Entry::key)
        .contains(running.key(), resumable.key(), unknown.key())
        .doesNotContain(settled.key(), freed.key());
    Entry entry =
        ended.stream().filter(e -> e.key().equals(running.key())).findFirst().orElseThrow();
    assertThat(entry.token()).isEqualTo(running.token());
    assertThat(entry.fingerprint()).isEqualTo(FINGERPRINT);
  }

  @Rule("C-79")
  void fencesGrowPastASweep() {
    Claim owner = claim(freshKey());
    long fence = grant(owner).fence();
    assertThat(store.release(owner.owner(), LeaveAs.FREE)).isTrue();
    sweepAll();
    Claim next = claim(owner.key());
    long nextFence = grant(next).fence();
    assertThat(nextFence).isGreaterThan(fence);

    assertThat(store.complete(next.owner(), OUTCOME, RETENTION)).isTrue();
    fixture.advance(RETENTION.plus(MARGIN));
    sweepAll();

    assertThat(granted(second.claim(claim(owner.key()))).fence()).isGreaterThan(nextFence);
  }

  @Rule("C-80")
  void sweepersAtOnceReportEachEntryOnce() {
    advancePastEverything();
    sweepAll();
    Set<OperationKey> keys = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      keys.add(running().key());
    }
    fixture.advance(LEASE.plus(store.profile().unsettledRetention()).plus(MARGIN));

    List<OperationKey> reported = new ArrayList<>();
    try (Crowd crowd = new Crowd(4)) {
      for (int round = 0; round < MANY && reported.size() < MANY; round++) {
        for (Swept swept : crowd.call(i -> (i % 2 == 0 ? sweeper : otherSweeper).sweep(7))) {
          reported.addAll(keys(swept.unsettled()));
        }
      }
    }

    assertThat(reported).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(keys);
  }

  @Rule("C-81")
  void aSweepNeverTakesAClaimThatWasJustGranted() {
    List<OperationKey> keys = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      Claim ended = running();
      assertThat(store.complete(ended.owner(), OUTCOME, RETENTION)).isTrue();
      keys.add(ended.key());
    }
    fixture.advance(RETENTION.plus(Duration.ofHours(1)));
    try (Crowd crowd = new Crowd(4)) {
      for (OperationKey key : keys) {
        Claim next = claim(key);
        crowd.call(
            i ->
                i == 0
                    ? granted(Crowd.patiently(() -> second.claim(next))).attempt()
                    : sweeper.sweep(1).removed());
        assertThat(entry(key).token()).isEqualTo(next.token());
      }
    }
  }
}
