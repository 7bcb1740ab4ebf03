// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Previous;
import io.retrysafe.store.Standing;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testkit.Rule;
import java.time.Duration;
import java.util.Map;

/** Who gets a key, and what the others are shown. */
abstract class ClaimingRules extends Rules {
  private static final TakeOver TWICE = new TakeOver(2, Duration.ofDays(1));
  private static final TakeOver YOUNG = new TakeOver(5, LEASE.multipliedBy(2));

  ClaimingRules(StoreFixture fixture) {
    super(fixture);
  }

  @Rule("C-01")
  void anAbsentKeyIsGranted() {
    Granted granted = grant(claim(freshKey()));

    assertThat(granted.attempt()).isEqualTo(1);
    assertThat(granted.previous()).isEqualTo(Previous.ABSENT);
    assertThat(granted.steps()).isEmpty();
  }

  @Rule("C-02")
  void aGrantedClaimIsAnEntryThatBothClientsSee() {
    Claim claim = claim(freshKey());
    Granted granted = grant(claim);

    for (Entry entry : new Entry[] {entry(claim.key()), store.find(claim.key()).orElseThrow()}) {
      assertThat(entry.key()).isEqualTo(claim.key());
      assertThat(entry.token()).isEqualTo(claim.token());
      assertThat(entry.fingerprint()).isEqualTo(claim.fingerprint());
      assertThat(entry.attempt()).isEqualTo(1);
      assertThat(entry.fence()).isEqualTo(granted.fence());
      assertThat(entry.standing()).isEqualTo(Standing.RUNNING);
      assertThat(entry.isLapsed()).isFalse();
      assertThat(entry.outcome()).isEmpty();
    }
  }

  @Rule("C-03")
  void aLostClaimShowsTheWinnerAndChangesNothing() {
    Claim winner = running();
    Entry before = entry(winner.key());

    Entry shown = held(second.claim(claim(winner.key(), TakeOver.ALWAYS)));

    assertThat(shown).usingRecursiveComparison().ignoringFields("times").isEqualTo(before);
    assertThat(shown.isLapsed()).isFalse();
    assertUnchanged(before);
  }

  @Rule("C-04")
  void anotherFingerprintIsHeldWhateverTheState() {
    assertHeldForOtherFingerprint(running());
    assertHeldForOtherFingerprint(lapsed());
    assertHeldForOtherFingerprint(released(LeaveAs.RESUMABLE));
    assertHeldForOtherFingerprint(released(LeaveAs.UNKNOWN));
    assertHeldForOtherFingerprint(settled());
  }

  private void assertHeldForOtherFingerprint(Claim owner) {
    Entry before = entry(owner.key());
    Claim other = withFingerprint(claim(owner.key(), TakeOver.ALWAYS), OTHER_FINGERPRINT);

    Entry shown = held(second.claim(other));

    assertThat(shown.fingerprint()).isEqualTo(FINGERPRINT);
    assertThat(shown.token()).isEqualTo(owner.token());
    assertUnchanged(before);
  }

  @Rule("C-05")
  void aLapsedEntryIsHeldForAClaimThatMayNotTakeOver() {
    Claim owner = lapsed();
    Entry before = entry(owner.key());

    Entry shown = held(second.claim(claim(owner.key())));

    assertThat(shown.isLapsed()).isTrue();
    assertThat(shown.token()).isEqualTo(owner.token());
    assertUnchanged(before);
  }

  @Rule("C-06")
  void aLapsedEntryIsTakenOverByAClaimThatMay() {
    Claim owner = lapsed();
    Entry before = entry(owner.key());
    Claim heir = claim(owner.key(), TWICE);

    Granted granted = granted(second.claim(heir));

    assertThat(granted.attempt()).isEqualTo(2);
    assertThat(granted.previous()).isEqualTo(Previous.UNKNOWN);
    assertTakenOver(before, heir, granted);
  }

  private void assertTakenOver(Entry before, Claim heir, Granted granted) {
    Entry after = store.find(heir.key()).orElseThrow();
    assertThat(after.token()).isEqualTo(heir.token());
    assertThat(after.fence()).isEqualTo(granted.fence()).isGreaterThan(before.fence());
    assertThat(after.attempt()).isEqualTo(granted.attempt());
    assertThat(after.standing()).isEqualTo(Standing.RUNNING);
    assertThat(after.isLapsed()).isFalse();
    assertThat(after.fingerprint()).isEqualTo(before.fingerprint());
    assertClose(after.times().createdAt(), before.times().createdAt());
  }

  @Rule("C-07")
  void aLapsedEntryIsHeldOnceItHadAllItsAttempts() {
    Claim owner = lapsed();
    granted(second.claim(claim(owner.key(), TWICE)));
    fixture.advance(LEASE.plus(MARGIN));
    Entry before = entry(owner.key());

    held(store.claim(claim(owner.key(), TWICE)));

    assertUnchanged(before);
    granted(store.claim(claim(owner.key(), new TakeOver(3, Duration.ofDays(1)))));
  }

  @Rule("C-08")
  void aLapsedEntryIsHeldOnceItIsTooOld() {
    Claim owner = lapsed();
    Claim young = claim(owner.key(), YOUNG);
    granted(second.claim(young));
    fixture.advance(LEASE.plus(MARGIN));
    Entry before = entry(owner.key());

    held(store.claim(claim(owner.key(), YOUNG)));

    assertUnchanged(before);
    granted(store.claim(claim(owner.key(), new TakeOver(5, LEASE.multipliedBy(4)))));
  }

  @Rule("C-09")
  void anEntryLeftAsUnknownIsTakenOverWithinTheSameBounds() {
    Claim owner = released(LeaveAs.UNKNOWN);
    Entry before = entry(owner.key());

    held(second.claim(claim(owner.key())));
    held(second.claim(claim(owner.key(), new TakeOver(1, Duration.ofDays(1)))));
    assertUnchanged(before);
    fixture.advance(LEASE.multipliedBy(3));
    held(second.claim(claim(owner.key(), YOUNG)));
    before = entry(owner.key());
    Claim heir = claim(owner.key(), TWICE);
    Granted granted = granted(second.claim(heir));

    assertThat(granted.attempt()).isEqualTo(2);
    assertThat(granted.previous()).isEqualTo(Previous.UNKNOWN);
    assertTakenOver(before, heir, granted);
  }

  @Rule("C-10")
  void aResumableEntryIsGrantedWhateverTheBounds() {
    Claim owner = released(LeaveAs.RESUMABLE);
    fixture.advance(LEASE.multipliedBy(3));
    Entry before = entry(owner.key());
    Claim heir = claim(owner.key(), TakeOver.NONE);

    Granted granted = granted(second.claim(heir));

    assertThat(granted.attempt()).isEqualTo(2);
    assertThat(granted.previous()).isEqualTo(Previous.RESUMABLE);
    assertThat(granted.steps()).isEqualTo(Map.of());
    assertTakenOver(before, heir, granted);
  }

  @Rule("C-11")
  void aSettledEntryIsNeverTakenOver() {
    Claim owner = settled();
    fixture.advance(LEASE.plus(MARGIN));
    Entry before = entry(owner.key());

    Entry shown = held(second.claim(claim(owner.key(), TakeOver.ALWAYS)));

    assertThat(shown.outcome()).contains(OUTCOME);
    assertUnchanged(before);
  }

  @Rule("C-12")
  void everyNewGrantHasAGreaterFence() {
    Claim first = claim(freshKey());
    long fence = grant(first).fence();
    assertThat(store.release(first.owner(), LeaveAs.FREE)).isTrue();

    Claim next = claim(first.key());
    fence = assertGreater(granted(second.claim(next)), fence);
    assertThat(second.release(next.owner(), LeaveAs.RESUMABLE)).isTrue();

    next = claim(first.key());
    fence = assertGreater(granted(store.claim(next)), fence);
    assertThat(store.release(next.owner(), LeaveAs.UNKNOWN)).isTrue();

    next = claim(first.key(), TakeOver.ALWAYS);
    fence = assertGreater(granted(second.claim(next)), fence);
    fixture.advance(LEASE.plus(MARGIN));

    next = claim(first.key(), TakeOver.ALWAYS);
    fence = assertGreater(granted(store.claim(next)), fence);
    assertThat(store.complete(next.owner(), OUTCOME, RETENTION)).isTrue();
    fixture.advance(RETENTION.plus(MARGIN));

    assertGreater(granted(second.claim(claim(first.key()))), fence);
  }

  private static long assertGreater(Granted granted, long fence) {
    assertThat(granted.fence()).isGreaterThan(fence);
    return granted.fence();
  }
}
