// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.store.Claim;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.Steps;
import io.retrysafe.store.Token;
import io.retrysafe.testkit.Rule;

/** An owner that was replaced changes nothing and is told so. */
abstract class StaleOwnerRules extends Rules {

  StaleOwnerRules(StoreFixture fixture) {
    super(fixture);
  }

  @Rule("C-61")
  void anOwnerThatWasTakenOverChangesNothing() {
    Claim lapsed = lapsed();
    takeOver(lapsed.key());
    assertChangesNothing(lapsed);

    Claim left = released(LeaveAs.RESUMABLE);
    takeOver(left.key());
    assertChangesNothing(left);
  }

  @Rule("C-62")
  void anOwnerWhoseHeirIsDoneChangesNothing() {
    Claim stale = lapsed();
    Claim heir = takeOver(stale.key());
    assertThat(store.complete(heir.owner(), OUTCOME, RETENTION)).isTrue();
    assertChangesNothing(stale);

    Claim other = lapsed();
    Claim gaveUp = takeOver(other.key());
    assertThat(store.release(gaveUp.owner(), LeaveAs.UNKNOWN)).isTrue();
    assertChangesNothing(other);
  }

  @Rule("C-63")
  void anOwnerWhoseEntryExpiredDoesNotMatchTheNextOne() {
    Claim stale = settled();
    fixture.advance(RETENTION.plus(MARGIN));
    grant(claim(stale.key()));
    assertChangesNothing(stale);

    Claim unsettled = running();
    fixture.advance(LEASE.plus(store.profile().unsettledRetention()).plus(MARGIN));
    grant(claim(unsettled.key()));
    assertChangesNothing(unsettled);
  }

  @Rule("C-64")
  void anOwnerThatFreedItsEntryDoesNotMatchTheNextOne() {
    Claim stale = released(LeaveAs.FREE);
    grant(claim(stale.key()));
    assertChangesNothing(stale);
  }

  @Rule("C-65")
  void everyBitOfATokenCounts() {
    for (int bit = 0; bit < 128; bit += 9) {
      Claim owner = running();
      Token token = owner.token();
      Token other =
          bit < 64
              ? new Token(token.high(), token.low() ^ 1L << bit)
              : new Token(token.high() ^ 1L << (bit - 64), token.low());
      Entry before = entry(owner.key());

      assertThat(before.token()).isEqualTo(token);
      assertThat(renews(store, new Owner(owner.key(), other), LEASE.multipliedBy(5))).isFalse();
      assertThat(store.complete(new Owner(owner.key(), other), OTHER_OUTCOME, RETENTION)).isFalse();
      assertUnchanged(before);
    }
  }

  private void assertChangesNothing(Claim stale) {
    Owner owner = stale.owner();
    Entry before = entry(stale.key());
    assertThat(before.token()).isNotEqualTo(stale.token());

    assertThat(store.complete(owner, OTHER_OUTCOME, RETENTION.multipliedBy(2))).isFalse();
    assertThat(renews(store, owner, LEASE.multipliedBy(5))).isFalse();
    for (LeaveAs how : LeaveAs.values()) {
      assertThat(store.release(owner, how)).isFalse();
    }
    store
        .capability(Steps.class)
        .ifPresent(steps -> assertThat(steps.step(owner, "stale", Bytes.utf8("stale"))).isFalse());
    held(store.claim(stale));
    assertUnchanged(before);
  }
}
