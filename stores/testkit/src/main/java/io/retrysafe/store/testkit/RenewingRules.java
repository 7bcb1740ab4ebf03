// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Claim;
import io.retrysafe.store.Entry;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Owner;
import io.retrysafe.store.TakeOver;
import io.retrysafe.testkit.Rule;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** How an owner keeps its claim. */
abstract class RenewingRules extends Rules {
  private static final int MANY = 300;

  RenewingRules(StoreFixture fixture) {
    super(fixture);
  }

  @Rule("C-32")
  void aRenewalRestartsTheLease() {
    Claim owner = running();
    fixture.advance(LEASE.minus(MARGIN));

    assertThat(store.renew(Set.of(owner.owner()), LEASE.multipliedBy(2)))
        .containsExactly(owner.owner());

    fixture.advance(LEASE.multipliedBy(2).minus(MARGIN));
    Entry shown = held(second.claim(claim(owner.key(), TakeOver.ALWAYS)));
    assertThat(shown.isLapsed()).isFalse();
    assertThat(shown.leaseLeft()).isBetween(Duration.ofMinutes(1), MARGIN);
    assertThat(shown.attempt()).isEqualTo(1);
    fixture.advance(MARGIN.multipliedBy(2));
    assertThat(entry(owner.key()).isLapsed()).isTrue();
  }

  @Rule("C-33")
  void aSlowOwnerThatNobodyReplacedRenews() {
    Claim owner = lapsed();

    assertThat(renews(store, owner.owner(), LEASE)).isTrue();

    assertThat(held(second.claim(claim(owner.key(), TakeOver.ALWAYS))).isLapsed()).isFalse();
  }

  @Rule("C-34")
  void onlyTheOwnerOfARunningEntryRenews() {
    assertNotRenewed(new Owner(running().key(), freshToken()));
    assertNotRenewed(settled().owner());
    assertNotRenewed(released(LeaveAs.RESUMABLE).owner());
    assertNotRenewed(released(LeaveAs.UNKNOWN).owner());
    Owner nobody = new Owner(freshKey(), freshToken());
    assertThat(renews(store, nobody, LEASE)).isFalse();
    assertAbsent(nobody.key());
  }

  private void assertNotRenewed(Owner owner) {
    Entry before = entry(owner.key());
    assertThat(renews(store, owner, LEASE.multipliedBy(5))).isFalse();
    assertUnchanged(before);
  }

  @Rule("C-35")
  void aRenewalOfManyReturnsExactlyThoseStillOwned() {
    Claim mine = running();
    Claim lost = lapsed();
    Claim heir = takeOver(lost.key());
    Claim settled = settled();
    Claim freed = released(LeaveAs.FREE);
    Owner nobody = new Owner(freshKey(), freshToken());
    assertThat(renews(store, mine.owner(), LEASE)).isTrue();

    Set<Owner> renewed =
        store.renew(
            Set.of(
                mine.owner(), lost.owner(), heir.owner(), settled.owner(), freed.owner(), nobody),
            LEASE);

    assertThat(renewed).containsExactlyInAnyOrder(mine.owner(), heir.owner());
    assertThat(store.renew(Set.of(), LEASE)).isEmpty();
  }

  @Rule("C-36")
  void hundredsOfOwnersAreRenewedInOneCall() {
    Set<Owner> owners = new HashSet<>();
    for (int i = 0; i < MANY; i++) {
      owners.add(running().owner());
    }
    fixture.advance(LEASE.minus(MARGIN));

    assertThat(second.renew(owners, LEASE)).isEqualTo(owners);

    fixture.advance(LEASE.minus(MARGIN));
    for (Owner owner : owners) {
      assertThat(entry(owner.key()).isLapsed()).isFalse();
    }
  }
}
