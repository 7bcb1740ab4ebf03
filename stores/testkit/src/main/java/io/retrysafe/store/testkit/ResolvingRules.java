// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.store.Claim;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Previous;
import io.retrysafe.store.Resolvable;
import io.retrysafe.store.Resolvable.Resolved;
import io.retrysafe.store.Resolvable.Word;
import io.retrysafe.store.Standing;
import io.retrysafe.store.Steps;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.testkit.Rule;

/** What an operator's word does, and when it comes too late. */
abstract class ResolvingRules extends Rules {
  private static final Word DONE = new Word.Done(OUTCOME, RETENTION);
  private static final Word NOT_DONE = new Word.NotDone();
  private static final Word FORGET = new Word.Forget();

  private final Resolvable desk;
  private final Resolvable otherDesk;

  ResolvingRules(StoreFixture fixture) {
    super(fixture);
    this.desk = offered(store, Resolvable.class);
    this.otherDesk = offered(second, Resolvable.class);
  }

  private Claim[] unsettled() {
    return new Claim[] {lapsed(), released(LeaveAs.UNKNOWN), released(LeaveAs.RESUMABLE)};
  }

  private Entry resolved(Claim owner, Token operator, Word word) {
    Entry seen = entry(owner.key());
    assertThat(desk.resolve(seen, operator, word)).isEqualTo(Resolved.APPLIED);
    return seen;
  }

  @Rule("C-87")
  void doneSettlesUnderTheOperatorsToken() {
    for (Claim owner : unsettled()) {
      Token operator = freshToken();
      resolved(owner, operator, DONE);

      Entry entry = held(second.claim(claim(owner.key(), TakeOver.ALWAYS)));
      assertThat(entry.outcome()).contains(OUTCOME);
      assertThat(entry.token()).isEqualTo(operator);
      assertClose(entry.times().expiresAt(), entry.times().readAt().plus(RETENTION));
    }
  }

  @Rule("C-88")
  void theOldOwnerIsOutAfterAnOperatorsWord() {
    for (Word word : new Word[] {DONE, NOT_DONE, FORGET}) {
      for (Claim owner : unsettled()) {
        resolved(owner, freshToken(), word);
        var before = store.find(owner.key()).map(Entry::standing);

        assertThat(second.complete(owner.owner(), OTHER_OUTCOME, RETENTION)).isFalse();
        assertThat(renews(second, owner.owner(), LEASE)).isFalse();
        for (LeaveAs how : LeaveAs.values()) {
          assertThat(second.release(owner.owner(), how)).isFalse();
        }
        assertThat(store.find(owner.key()).map(Entry::standing)).isEqualTo(before);
      }
    }
  }

  @Rule("C-89")
  void notDoneFreesTheKey() {
    for (Claim owner : unsettled()) {
      Entry seen = resolved(owner, freshToken(), NOT_DONE);

      assertFirst(owner, seen);
    }
  }

  private void assertFirst(Claim owner, Entry seen) {
    assertAbsent(owner.key());
    Granted granted = granted(second.claim(withFingerprint(claim(owner.key()), OTHER_FINGERPRINT)));
    assertThat(granted.attempt()).isEqualTo(1);
    assertThat(granted.previous()).isEqualTo(Previous.ABSENT);
    assertThat(granted.steps()).isEmpty();
    assertThat(granted.fence()).isGreaterThan(seen.fence());
  }

  @Rule("C-90")
  void notDoneLeavesAnEntryWithStepsResumable() {
    Steps steps = offered(store, Steps.class);
    for (Claim owner : unsettled()) {
      assertThat(steps.step(owner.owner(), "charge", Bytes.utf8("1"))).isTrue();
      resolved(owner, freshToken(), NOT_DONE);

      assertThat(entry(owner.key()).standing()).isEqualTo(Standing.RESUMABLE);
      Granted granted = granted(second.claim(claim(owner.key())));
      assertThat(granted.attempt()).isEqualTo(2);
      assertThat(granted.steps()).containsOnlyKeys("charge");
    }
  }

  @Rule("C-91")
  void forgetEndsAnEntrySettledOrNot() {
    for (Claim owner : unsettled()) {
      store
          .capability(Steps.class)
          .ifPresent(
              steps -> assertThat(steps.step(owner.owner(), "charge", Bytes.utf8("1"))).isTrue());
      assertFirst(owner, resolved(owner, freshToken(), FORGET));
    }
    Claim settled = settled();
    assertFirst(settled, resolved(settled, freshToken(), FORGET));
  }

  @Rule("C-92")
  void aStandingLeaseKeepsTheOperatorOut() {
    Claim slow = lapsed();
    Entry seen = entry(slow.key());
    assertThat(renews(store, slow.owner(), LEASE)).isTrue();

    for (Word word : new Word[] {DONE, NOT_DONE, FORGET}) {
      Entry before = entry(slow.key());
      assertThat(desk.resolve(seen, freshToken(), word)).isEqualTo(Resolved.LEASED);
      assertUnchanged(before);
    }
  }

  @Rule("C-93")
  void anEntryThatIsNotTheOneSeenIsLeftAlone() {
    for (Word word : new Word[] {DONE, NOT_DONE, FORGET}) {
      Claim first = lapsed();
      Entry seen = entry(first.key());
      Claim heir = takeOver(first.key());
      assertThat(second.release(heir.owner(), LeaveAs.UNKNOWN)).isTrue();
      assertRefused(seen, word);

      Claim expired = settled();
      Entry old = entry(expired.key());
      fixture.advance(RETENTION.plus(MARGIN));
      assertThat(desk.resolve(old, freshToken(), word)).isEqualTo(Resolved.CHANGED);
      assertAbsent(expired.key());
      grant(claim(expired.key()));
      fixture.advance(LEASE.plus(MARGIN));
      assertRefused(old, word);
    }
  }

  private void assertRefused(Entry seen, Word word) {
    Entry before = entry(seen.key());
    assertThat(desk.resolve(seen, freshToken(), word)).isEqualTo(Resolved.CHANGED);
    assertUnchanged(before);
  }

  @Rule("C-94")
  void aSettledEntryCanOnlyBeForgotten() {
    Claim owner = lapsed();
    Entry seen = entry(owner.key());
    assertThat(store.complete(owner.owner(), OUTCOME, RETENTION)).isTrue();

    assertRefused(seen, new Word.Done(OTHER_OUTCOME, RETENTION));
    assertRefused(seen, NOT_DONE);
    assertRefused(entry(owner.key()), NOT_DONE);
  }

  @Rule("C-95")
  void aWordSentTwiceIsAppliedOnce() {
    for (Word word : new Word[] {DONE, NOT_DONE, FORGET}) {
      for (Claim owner : unsettled()) {
        Token operator = freshToken();
        Entry seen = resolved(owner, operator, word);
        var before = store.find(owner.key()).map(Entry::standing);

        assertThat(otherDesk.resolve(seen, operator, word)).isEqualTo(Resolved.APPLIED);

        assertThat(store.find(owner.key()).map(Entry::standing)).isEqualTo(before);
      }
    }
  }

  @Rule("C-96")
  void ofTwoOperatorsTheFirstIsHeard() {
    Claim owner = lapsed();
    Entry seen = resolved(owner, freshToken(), DONE);

    assertThat(otherDesk.resolve(seen, freshToken(), FORGET)).isEqualTo(Resolved.CHANGED);

    assertThat(entry(owner.key()).outcome()).contains(OUTCOME);
  }
}
