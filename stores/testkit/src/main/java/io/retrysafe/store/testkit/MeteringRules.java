// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Bytes;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import io.retrysafe.store.Claim;
import io.retrysafe.store.LeaveAs;
import io.retrysafe.store.Metered;
import io.retrysafe.testkit.Rule;
import java.util.UUID;

/** What a store says that it holds. */
abstract class MeteringRules extends Rules {
  private static final int SIZE = 10_000;

  private final Metered metered;

  MeteringRules(StoreFixture fixture) {
    super(fixture);
    this.metered = offered(second, Metered.class);
  }

  private Claim claimed(String account) {
    Claim claim = claim(OperationKey.of(Scope.of(account, "pay"), UUID.randomUUID().toString()));
    store.claim(claim);
    return claim;
  }

  private void completed(String account) {
    boolean unused =
        store.complete(claimed(account).owner(), Outcome.of(Bytes.wrap(new byte[SIZE])), RETENTION);
  }

  @Rule("C-111")
  void whatAccountsHoldIsCounted() {
    String large = "large-" + UUID.randomUUID();
    String many = "many-" + UUID.randomUUID();
    String small = "small-" + UUID.randomUUID();
    String freed = "freed-" + UUID.randomUUID();
    Metered.Usage before = metered.usage(3, 3 * SIZE);

    for (int i = 0; i < 3; i++) {
      completed(large);
      claimed(many);
      boolean unused = store.release(claimed(freed).owner(), LeaveAs.FREE);
    }
    completed(small);
    Metered.Usage after = metered.usage(3, 3 * SIZE);

    assertThat(after.entries() - before.entries()).isEqualTo(7);
    assertThat(after.bytes() - before.bytes())
        .isBetween(4L * SIZE + 7 * Metered.ENTRY_BYTES, 4L * SIZE + 7 * 2048);
    assertThat(after.largeAccounts()).contains(large, many).doesNotContain(small, freed);
    assertThat(metered.usage(4, 3 * SIZE).largeAccounts()).contains(large).doesNotContain(many);
    assertThat(metered.usage(4, 4 * SIZE).largeAccounts()).doesNotContain(large, many);

    fixture.advance(RETENTION.plusSeconds(1));
    assertThat(metered.usage(1, 1).largeAccounts()).contains(many).doesNotContain(large, small);
  }
}
