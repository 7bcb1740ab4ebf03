// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.describe;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.store.Profile;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a gateway may promise on behalf of its store. */
class StartupSummaryTest {
  @Test
  void nothingIsPromisedForEffectsInTheStoresOwnDatabase() {
    String both =
        "one live owner; with the effect in the same database exactly one committed effect per key";
    Profile profile =
        new Profile("x", both, List.of(), 1, Duration.ofDays(30), Duration.ofSeconds(2));

    assertThat(StartupSummary.promise(profile)).isEqualTo("one live owner");
  }
}
