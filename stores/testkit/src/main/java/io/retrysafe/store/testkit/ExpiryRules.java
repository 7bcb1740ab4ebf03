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

/** When leases and entries end, and when not. */
abstract class ExpiryRules extends Rules {
  private static final Duration TEN_YEARS = Duration.ofDays(3660);

  ExpiryRules(StoreFixture fixture) {
    super(fixture);
  }

  private Duration unsettledRetention() {
    return store.profile().unsettledRetention();
  }

  @Rule("C-37")
  void aLeaseIsNotOverEarly() {
    Claim owner = running();
    fixture.advance(LEASE.minus(MARGIN));

    assertThat(held(second.claim(claim(owner.key(), TakeOver.ALWAYS))).isLapsed()).isFalse();

    fixture.advance(MARGIN.multipliedBy(2));
    granted(second.claim(claim(owner.key(), TakeOver.ALWAYS)));
  }

  @Rule("C-38")
  void aSettledEntryAnswersForItsWholeRetention() {
    Claim owner = settled();
    fixture.advance(RETENTION.minus(MARGIN));

    assertThat(held(second.claim(claim(owner.key()))).outcome()).contains(OUTCOME);
    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();
  }

  @Rule("C-39")
  void aSettledEntryIsAbsentAfterItsRetention() {
    Claim owner = settled();
    fixture.advance(RETENTION.plus(MARGIN));

    assertAbsent(owner.key());
    assertBeginsAnew(owner);
  }

  private void assertBeginsAnew(Claim before) {
    Claim next = withFingerprint(claim(before.key()), OTHER_FINGERPRINT);
    Granted granted = granted(second.claim(next));
    assertThat(granted.attempt()).isEqualTo(1);
    assertThat(granted.previous()).isEqualTo(Previous.ABSENT);
    assertThat(granted.steps()).isEmpty();
    Entry entry = entry(before.key());
    assertThat(entry.fingerprint()).isEqualTo(OTHER_FINGERPRINT);
    assertThat(entry.age()).isLessThan(MARGIN);
  }

  @Rule("C-40")
  void aRepeatedCompletionDoesNotProlongTheRetention() {
    Claim owner = settled();
    fixture.advance(RETENTION.minus(MARGIN));
    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();
    fixture.advance(MARGIN.multipliedBy(2));

    assertAbsent(owner.key());
  }

  @Rule("C-41")
  void anUnsettledEntryOutlivesItsLease() {
    Claim running = running();
    Claim resumable = released(LeaveAs.RESUMABLE);
    Claim unknown = released(LeaveAs.UNKNOWN);
    fixture.advance(unsettledRetention().minus(MARGIN));

    Entry lapsed = held(second.claim(claim(running.key())));
    assertThat(lapsed.standing()).isEqualTo(Standing.RUNNING);
    assertThat(lapsed.isLapsed()).isTrue();
    assertThat(entry(resumable.key()).standing()).isEqualTo(Standing.RESUMABLE);
    assertThat(held(second.claim(claim(unknown.key()))).standing()).isEqualTo(Standing.UNKNOWN);
    assertThat(store.complete(running.owner(), OUTCOME, RETENTION)).isTrue();
  }

  @Rule("C-42")
  void anUnsettledEntryIsAbsentAfterItsRetention() {
    Claim running = running();
    Claim resumable = released(LeaveAs.RESUMABLE);
    Claim unknown = released(LeaveAs.UNKNOWN);
    fixture.advance(LEASE.plus(unsettledRetention()).plus(MARGIN));

    for (Claim owner : new Claim[] {running, resumable, unknown}) {
      assertAbsent(owner.key());
      assertBeginsAnew(owner);
    }
  }

  @Rule("C-43")
  void renewalAndTakeoverMoveTheEndOfAnUnsettledEntry() {
    Claim renewed = running();
    Claim takenOver = released(LeaveAs.UNKNOWN);
    fixture.advance(unsettledRetention().minus(MARGIN));
    assertThat(renews(store, renewed.owner(), LEASE)).isTrue();
    takeOver(takenOver.key());
    fixture.advance(unsettledRetention().minus(MARGIN));

    assertThat(entry(renewed.key()).isLapsed()).isTrue();
    assertThat(entry(takenOver.key()).isLapsed()).isTrue();
  }

  @Rule("C-44")
  void anExpiredEntryIsNotBroughtBack() {
    Claim settled = settled();
    Claim running = running();
    fixture.advance(LEASE.plus(RETENTION).plus(unsettledRetention()).plus(MARGIN));

    for (Claim owner : new Claim[] {settled, running}) {
      assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isFalse();
      assertThat(renews(store, owner.owner(), LEASE)).isFalse();
      assertThat(store.release(owner.owner(), LeaveAs.RESUMABLE)).isFalse();
      assertThat(store.release(owner.owner(), LeaveAs.UNKNOWN)).isFalse();
      assertAbsent(owner.key());
    }
  }

  @Rule("C-105")
  void aLeaseAndARetentionMayBeOfAnyLength() {
    Duration forever = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
    Claim owner =
        new Claim(freshKey(), FINGERPRINT, freshToken(), forever, new TakeOver(9, forever));
    grant(owner);
    assertThat(held(second.claim(claim(owner.key(), TakeOver.ALWAYS))).isLapsed()).isFalse();
    assertThat(renews(store, owner.owner(), forever)).isTrue();
    fixture.advance(TEN_YEARS);
    assertThat(held(second.claim(claim(owner.key(), TakeOver.ALWAYS))).isLapsed()).isFalse();

    assertThat(store.complete(owner.owner(), OUTCOME, forever)).isTrue();
    assertThat(entry(owner.key()).outcome()).contains(OUTCOME);
    fixture.advance(TEN_YEARS);
    assertThat(held(second.claim(claim(owner.key(), TakeOver.ALWAYS))).outcome()).contains(OUTCOME);
  }

  @Rule("C-45")
  void theTimesOfAnEntryFitTogether() {
    Claim owner = running();
    fixture.advance(MARGIN);
    Entry.Times running = entry(owner.key()).times();
    assertClose(running.createdAt(), running.readAt().minus(MARGIN));
    assertClose(running.leaseUntil(), running.createdAt().plus(LEASE));
    assertClose(running.expiresAt(), running.leaseUntil().plus(unsettledRetention()));

    assertThat(store.release(owner.owner(), LeaveAs.UNKNOWN)).isTrue();
    Entry.Times left = entry(owner.key()).times();
    assertClose(left.createdAt(), left.readAt().minus(MARGIN));
    assertThat(left.leaseUntil()).isBeforeOrEqualTo(left.readAt());
    assertClose(left.expiresAt(), left.readAt().plus(unsettledRetention()));

    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();
    Entry.Times settled = entry(owner.key()).times();
    assertClose(settled.createdAt(), settled.readAt().minus(MARGIN));
    assertThat(settled.leaseUntil()).isBeforeOrEqualTo(settled.readAt());
    assertClose(settled.expiresAt(), settled.readAt().plus(RETENTION));
  }
}
