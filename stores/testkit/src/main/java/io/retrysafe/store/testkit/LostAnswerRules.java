// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Standing;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testkit.Rule;
import java.time.Duration;

/** Every call can be sent again when its answer was lost, over another connection too. */
abstract class LostAnswerRules extends Rules {

  LostAnswerRules(StoreFixture fixture) {
    super(fixture);
  }

  @Rule("C-53")
  void aClaimSentTwiceIsTheSameGrant() {
    Claim first = claim(freshKey());
    assertGrantedAgain(first, grant(first));

    Claim heir = claim(released(LeaveAs.UNKNOWN).key(), TakeOver.ALWAYS);
    assertGrantedAgain(heir, grant(heir));
  }

  private void assertGrantedAgain(Claim claim, Granted granted) {
    fixture.advance(LEASE.minus(MARGIN));

    assertThat(granted(second.claim(claim))).isEqualTo(granted);

    Entry entry = entry(claim.key());
    assertThat(entry.attempt()).isEqualTo(granted.attempt());
    assertThat(entry.leaseLeft()).isGreaterThan(LEASE.minus(MARGIN));
  }

  @Rule("C-54")
  void aClaimSentAgainAfterItLapsedIsTheSameGrant() {
    Claim claim = claim(freshKey());
    Granted granted = grant(claim);
    fixture.advance(LEASE.plus(MARGIN));

    assertThat(granted(second.claim(claim))).isEqualTo(granted);

    assertThat(entry(claim.key()).isLapsed()).isFalse();
  }

  @Rule("C-55")
  void aTokenWithAnotherFingerprintIsHeld() {
    Claim claim = claim(freshKey(), TakeOver.ALWAYS);
    grant(claim);
    Entry before = entry(claim.key());

    Entry shown = held(second.claim(withFingerprint(claim, OTHER_FINGERPRINT)));

    assertThat(shown.fingerprint()).isEqualTo(FINGERPRINT);
    assertUnchanged(before);
  }

  @Rule("C-56")
  void aClaimSentAgainAfterItEndedIsHeld() {
    Claim settled = settled();
    assertThat(held(second.claim(settled)).outcome()).contains(OUTCOME);

    Claim lost = lapsed();
    Claim heir = takeOver(lost.key());
    Entry before = entry(lost.key());
    assertThat(held(second.claim(lost)).token()).isEqualTo(heir.token());
    assertUnchanged(before);
  }

  @Rule("C-57")
  void aCompletionSentTwiceIsTrue() {
    Claim owner = running();

    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();
    Entry before = entry(owner.key());
    assertThat(second.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();

    assertUnchanged(before);
  }

  @Rule("C-58")
  void aReleaseSentTwiceIsTrue() {
    for (LeaveAs how : LeaveAs.values()) {
      assertReleasedTwice(running(), how);
      assertReleasedTwice(takeOver(released(LeaveAs.RESUMABLE).key()), how);
      assertReleasedTwice(takeOver(released(LeaveAs.UNKNOWN).key()), how);
    }
  }

  private void assertReleasedTwice(Claim owner, LeaveAs how) {
    assertThat(store.release(owner.owner(), how)).isTrue();
    var before = store.find(owner.key()).map(Entry::standing);
    assertThat(second.release(owner.owner(), how)).isTrue();
    assertThat(store.find(owner.key()).map(Entry::standing)).isEqualTo(before);
  }

  @Rule("C-59")
  void aRenewalSentTwiceIsTrue() {
    Claim owner = running();

    assertThat(renews(store, owner.owner(), LEASE)).isTrue();
    assertThat(renews(second, owner.owner(), LEASE.multipliedBy(2))).isTrue();

    assertThat(entry(owner.key()).leaseLeft()).isGreaterThan(LEASE.plus(Duration.ofMinutes(1)));
  }

  @Rule("C-60")
  void aReleaseThatOvertookItsClaimIsFalseUntilTheClaimLands() {
    Claim late = claim(freshKey());

    assertThat(store.release(late.owner(), LeaveAs.FREE)).isFalse();
    grant(late);
    assertThat(entry(late.key()).standing()).isEqualTo(Standing.RUNNING);
    assertThat(second.release(late.owner(), LeaveAs.FREE)).isTrue();

    assertAbsent(late.key());
  }
}
