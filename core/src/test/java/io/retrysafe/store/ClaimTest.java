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
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ClaimTest {
  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");
  private static final OperationKey KEY = OperationKey.of(Scope.of("m"), "k");
  private static final Fingerprint SAME = Fingerprint.ofText("same");
  private static final Token MINE = new Token(1, 1);
  private static final Token THEIRS = new Token(2, 2);
  private static final TakeOver BOUNDED = new TakeOver(3, Duration.ofHours(1));

  private static Claim claim(Fingerprint fingerprint, Token token, TakeOver takeOver) {
    return new Claim(KEY, fingerprint, token, Duration.ofSeconds(30), takeOver);
  }

  private static Entry entry(Standing standing, int attempt, Duration age, Duration leaseLeft) {
    Entry.Times times =
        new Entry.Times(NOW.minus(age), NOW.plus(leaseLeft), NOW.plusSeconds(1), NOW);
    Optional<Outcome> outcome =
        standing == Standing.SETTLED ? Optional.of(Outcome.of(Bytes.EMPTY)) : Optional.empty();
    return new Entry(KEY, THEIRS, SAME, attempt, 7, standing, times, outcome);
  }

  private static Entry young(Standing standing) {
    return entry(standing, 1, Duration.ZERO, Duration.ZERO);
  }

  @Test
  void aLeaseIsPositive() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Claim(KEY, SAME, MINE, Duration.ZERO, TakeOver.NONE))
        .withMessage("lease must be positive, was 0s");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Claim(KEY, SAME, MINE, Duration.ofSeconds(-1), TakeOver.NONE));
  }

  @Test
  void aClaimMakesAnOwner() {
    assertThat(claim(SAME, MINE, BOUNDED).owner()).isEqualTo(new Owner(KEY, MINE));
  }

  @Test
  void anExpiredEntryIsGrantedToAnyone() {
    Entry.Times over = new Entry.Times(NOW, NOW, NOW, NOW);
    Entry expired =
        new Entry(
            KEY, THEIRS, SAME, 1, 7, Standing.SETTLED, over, Optional.of(Outcome.of(Bytes.EMPTY)));

    assertThat(claim(Fingerprint.NONE, MINE, TakeOver.NONE).isGrantedOver(expired)).isTrue();
  }

  @Test
  void anotherFingerprintIsNeverGranted() {
    for (Standing standing : Standing.values()) {
      assertThat(claim(Fingerprint.NONE, MINE, TakeOver.ALWAYS).isGrantedOver(young(standing)))
          .isFalse();
      assertThat(claim(Fingerprint.NONE, THEIRS, TakeOver.ALWAYS).isGrantedOver(young(standing)))
          .isFalse();
    }
  }

  @Test
  void theSameTokenIsGrantedAgainOnlyWhileItRuns() {
    for (Standing standing : Standing.values()) {
      assertThat(claim(SAME, THEIRS, TakeOver.ALWAYS).isGrantedOver(young(standing)))
          .isEqualTo(standing == Standing.RUNNING);
    }
    assertThat(claim(SAME, THEIRS, TakeOver.NONE).isGrantedOver(young(Standing.RUNNING))).isTrue();
  }

  @Test
  void aStandingLeaseKeepsOthersOut() {
    Entry leased = entry(Standing.RUNNING, 1, Duration.ZERO, Duration.ofNanos(1));

    assertThat(claim(SAME, MINE, TakeOver.ALWAYS).isGrantedOver(leased)).isFalse();
  }

  @Test
  void lapsedAndUnknownEntriesAreGrantedWithinTheBounds() {
    Duration hour = Duration.ofHours(1);
    for (Standing standing : new Standing[] {Standing.RUNNING, Standing.UNKNOWN}) {
      Claim claim = claim(SAME, MINE, BOUNDED);
      assertThat(claim.isGrantedOver(entry(standing, 2, hour, Duration.ZERO))).isTrue();
      assertThat(claim.isGrantedOver(entry(standing, 3, hour, Duration.ZERO))).isFalse();
      assertThat(claim.isGrantedOver(entry(standing, 2, hour.plusNanos(1), Duration.ZERO)))
          .isFalse();
      assertThat(claim(SAME, MINE, TakeOver.NONE).isGrantedOver(young(standing))).isFalse();
    }
  }

  @Test
  void aResumableEntryIsGrantedWhateverTheBounds() {
    assertThat(claim(SAME, MINE, TakeOver.NONE).isGrantedOver(young(Standing.RESUMABLE))).isTrue();
  }

  @Test
  void aSettledEntryIsNotGranted() {
    assertThat(claim(SAME, MINE, TakeOver.ALWAYS).isGrantedOver(young(Standing.SETTLED))).isFalse();
  }
}
