// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.OperationKey;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Previous;
import io.retrysafe.store.Standing;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.testkit.Rule;

/** What becomes of an entry that its owner gives up. */
abstract class ReleasingRules extends Rules {

  ReleasingRules(StoreFixture fixture) {
    super(fixture);
  }

  @Rule("C-24")
  void aFreedFirstClaimLeavesTheKeyAbsent() {
    Claim owner = released(LeaveAs.FREE);

    assertAbsent(owner.key());
    Granted granted = granted(second.claim(withFingerprint(claim(owner.key()), OTHER_FINGERPRINT)));
    assertThat(granted.attempt()).isEqualTo(1);
    assertThat(granted.previous()).isEqualTo(Previous.ABSENT);
    assertThat(entry(owner.key()).fingerprint()).isEqualTo(OTHER_FINGERPRINT);
  }

  @Rule("C-25")
  void aFreedContinuationIsResumableAgain() {
    Claim first = released(LeaveAs.RESUMABLE);
    Claim heir = takeOver(first.key());

    assertThat(store.release(heir.owner(), LeaveAs.FREE)).isTrue();

    assertLeft(heir, Standing.RESUMABLE);
    assertThat(granted(store.claim(claim(first.key()))).previous()).isEqualTo(Previous.RESUMABLE);
  }

  @Rule("C-26")
  void aFreedTakeoverIsUnknownAgain() {
    for (Claim first : new Claim[] {released(LeaveAs.UNKNOWN), lapsed()}) {
      Claim heir = takeOver(first.key());

      assertThat(store.release(heir.owner(), LeaveAs.FREE)).isTrue();

      assertLeft(heir, Standing.UNKNOWN);
      held(store.claim(claim(first.key())));
      Granted granted = granted(store.claim(claim(first.key(), TakeOver.ALWAYS)));
      assertThat(granted.previous()).isEqualTo(Previous.UNKNOWN);
      assertThat(granted.attempt()).isEqualTo(3);
    }
  }

  @Rule("C-27")
  void anEntryLeftIsShownAsThatAndHasNoLeaseAnyMore() {
    assertLeft(released(LeaveAs.RESUMABLE), Standing.RESUMABLE);
    assertLeft(released(LeaveAs.UNKNOWN), Standing.UNKNOWN);
  }

  private void assertLeft(Claim owner, Standing standing) {
    Entry entry = entry(owner.key());
    assertThat(entry.standing()).isEqualTo(standing);
    assertThat(entry.token()).isEqualTo(owner.token());
    assertThat(entry.times().leaseUntil()).isBeforeOrEqualTo(entry.times().readAt());
    assertThat(entry.outcome()).isEmpty();
  }

  @Rule("C-28")
  void onlyTheOwnerOfAnUnsettledEntryReleases() {
    OperationKey never = freshKey();
    for (LeaveAs how : LeaveAs.values()) {
      assertThat(store.release(new Owner(never, freshToken()), how)).isFalse();
      assertAbsent(never);
      assertNotReleased(running().key(), freshToken(), how);
      Claim lapsed = lapsed();
      assertNotReleased(lapsed.key(), freshToken(), how);
      Claim settled = settled();
      assertNotReleased(settled.key(), settled.token(), how);
    }
  }

  private void assertNotReleased(OperationKey key, Token token, LeaveAs how) {
    Entry before = entry(key);
    assertThat(store.release(new Owner(key, token), how)).isFalse();
    assertUnchanged(before);
  }

  @Rule("C-29")
  void aSlowOwnerThatNobodyReplacedReleases() {
    Claim resumable = lapsed();
    assertThat(store.release(resumable.owner(), LeaveAs.RESUMABLE)).isTrue();
    assertLeft(resumable, Standing.RESUMABLE);

    Claim free = lapsed();
    assertThat(store.release(free.owner(), LeaveAs.FREE)).isTrue();
    assertAbsent(free.key());
  }

  @Rule("C-30")
  void aReleasedOwnerCannotRenew() {
    for (LeaveAs how : LeaveAs.values()) {
      Claim owner = released(how);

      assertThat(renews(second, owner.owner(), LEASE)).isFalse();

      if (how == LeaveAs.FREE) {
        assertAbsent(owner.key());
      } else {
        assertLeft(owner, Standing.valueOf(how.name()));
      }
    }
  }

  @Rule("C-31")
  void aReleasedTokenIsNotGrantedAgain() {
    for (LeaveAs how : LeaveAs.values()) {
      Claim owner = claim(freshKey(), TakeOver.ALWAYS);
      grant(owner);
      assertThat(store.release(owner.owner(), how)).isTrue();

      assertThat(second.claim(owner)).isNotInstanceOf(Granted.class);

      if (how == LeaveAs.FREE) {
        assertAbsent(owner.key());
      } else {
        assertLeft(owner, Standing.valueOf(how.name()));
      }
      granted(second.claim(claim(owner.key(), TakeOver.ALWAYS)));
    }
  }
}
