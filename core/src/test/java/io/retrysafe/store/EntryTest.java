// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.retrysafe.Bytes;
import io.retrysafe.Fingerprint;
import io.retrysafe.OperationKey;
import io.retrysafe.Outcome;
import io.retrysafe.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class EntryTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final Outcome DONE = Outcome.of(Bytes.EMPTY);
  private static final Outcome FAILED = Outcome.failed(500, List.of(), Bytes.EMPTY);

  private static Entry entry(Phase phase, Duration leaseLeft, Optional<Outcome> outcome) {
    Entry.Times times =
        new Entry.Times(
            NOW.minusSeconds(90), NOW.plus(leaseLeft), NOW.plus(Duration.ofDays(1)), NOW);
    OperationKey key = OperationKey.of(Scope.of("m"), "k");
    return new Entry(key, new Token(1, 2), Fingerprint.NONE, 1, 7, phase, times, outcome);
  }

  private static Entry unsettled(Phase phase, Duration leaseLeft) {
    return entry(phase, leaseLeft, Optional.empty());
  }

  @Test
  void onlyARunningEntryLapsesAndAtTheVeryEndOfItsLease() {
    assertThat(unsettled(Phase.RUNNING, Duration.ofNanos(1)).isLapsed()).isFalse();
    assertThat(unsettled(Phase.RUNNING, Duration.ZERO).isLapsed()).isTrue();
    assertThat(unsettled(Phase.RUNNING, Duration.ofSeconds(-1)).isLapsed()).isTrue();
    assertThat(unsettled(Phase.RESUMABLE, Duration.ofSeconds(-1)).isLapsed()).isFalse();
    assertThat(unsettled(Phase.UNKNOWN, Duration.ofSeconds(-1)).isLapsed()).isFalse();
  }

  @Test
  void peopleSeeFiveStates() {
    assertThat(unsettled(Phase.RUNNING, Duration.ofSeconds(1)).state())
        .isEqualTo(State.IN_PROGRESS);
    assertThat(unsettled(Phase.RUNNING, Duration.ZERO).state()).isEqualTo(State.UNKNOWN);
    assertThat(unsettled(Phase.UNKNOWN, Duration.ZERO).state()).isEqualTo(State.UNKNOWN);
    assertThat(unsettled(Phase.RESUMABLE, Duration.ZERO).state()).isEqualTo(State.RESUMABLE);
    assertThat(entry(Phase.SETTLED, Duration.ZERO, Optional.of(DONE)).state())
        .isEqualTo(State.COMPLETED);
    assertThat(entry(Phase.SETTLED, Duration.ZERO, Optional.of(FAILED)).state())
        .isEqualTo(State.FAILED);
    assertThat(State.IN_PROGRESS).hasToString("in_progress");
  }

  @Test
  void ageAndRestOfTheLeaseCountFromWhenTheStoreLooked() {
    Entry entry = unsettled(Phase.RUNNING, Duration.ofSeconds(30));

    assertThat(entry.age()).isEqualTo(Duration.ofSeconds(90));
    assertThat(entry.leaseLeft()).isEqualTo(Duration.ofSeconds(30));
    assertThat(unsettled(Phase.RUNNING, Duration.ofSeconds(-30)).leaseLeft()).isZero();
  }

  @Test
  void anEntryHasAnOutcomeIfAndOnlyIfItIsSettled() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> entry(Phase.RUNNING, Duration.ZERO, Optional.of(DONE)));
    assertThatIllegalArgumentException().isThrownBy(() -> unsettled(Phase.SETTLED, Duration.ZERO));
  }
}
