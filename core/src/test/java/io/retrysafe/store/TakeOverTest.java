// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class TakeOverTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void anEntryMayHaveAsManyAttemptsAsAllowed() {
    TakeOver three = new TakeOver(3, HOUR);

    assertThat(three.allows(2, Duration.ZERO)).isTrue();
    assertThat(three.allows(3, Duration.ZERO)).isFalse();
  }

  @Test
  void anEntryMayBeAsOldAsAllowed() {
    TakeOver hour = new TakeOver(3, HOUR);

    assertThat(hour.allows(1, HOUR)).isTrue();
    assertThat(hour.allows(1, HOUR.plusNanos(1))).isFalse();
  }

  @Test
  void noneAllowsNothingAndAlwaysEverything() {
    assertThat(TakeOver.NONE.allows(1, Duration.ZERO)).isFalse();
    assertThat(TakeOver.ALWAYS.allows(1_000_000, Duration.ofDays(30_000))).isTrue();
  }

  @Test
  void boundsAreNotNegative() {
    assertThatIllegalArgumentException().isThrownBy(() -> new TakeOver(-1, HOUR));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new TakeOver(1, Duration.ofSeconds(-1)))
        .withMessageContaining("PT-1S");
  }
}
