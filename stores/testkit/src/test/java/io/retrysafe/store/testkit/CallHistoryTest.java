// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.ClaimResult.Granted;
import io.retrysafe.store.ClaimResult.Held;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Phase;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.TakeOver;
import io.retrysafe.store.Token;
import io.retrysafe.store.testkit.CallHistory.Sent;
import io.retrysafe.store.testkit.KeyState.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Histories written by hand, with times chosen so that calls overlap or not. */
final class CallHistoryTest {
  private static final Moment NOW = new Moment(0, 720);
  private static final Token ONE = new Token(1, 1);
  private static final Token TWO = new Token(2, 2);
  private static final Granted FIRST = new Granted(1, 1000, PreviousPhase.ABSENT, Map.of());

  private static Sent sent(ModelCall call, @Nullable Object answer, long from, long to) {
    return new Sent(call, answer, from, to, "caller");
  }

  private static ModelCall claim(Token token) {
    return new ClaimCall(Rules.FINGERPRINT, token, 1, TakeOver.NONE);
  }

  private static Entry running(Token token, long fence) {
    Instant now = Instant.EPOCH;
    Instant lease = now.plus(Duration.ofHours(1));
    return new Entry(
        OperationKey.of(Scope.of("merchant"), "k"),
        token,
        Rules.FINGERPRINT,
        1,
        fence,
        Phase.RUNNING,
        new Entry.Times(now, lease, lease.plus(Duration.ofDays(30)), now),
        Optional.empty());
  }

  private static Set<KeyState> ends(Sent... calls) {
    return new CallHistory(List.of(calls), NOW).ends(Set.of(KeyState.ABSENT));
  }

  @Test
  void twoFirstGrantsCannotBeExplained() {
    assertThat(ends(sent(claim(ONE), FIRST, 0, 10), sent(claim(TWO), FIRST, 5, 15))).isEmpty();
  }

  @Test
  void aLostClaimThatShowsTheWinnerIsExplained() {
    Held held = new Held(running(ONE, 1000));

    assertThat(ends(sent(claim(TWO), held, 0, 10), sent(claim(ONE), FIRST, 5, 15))).hasSize(1);
  }

  @Test
  void aLostClaimAnsweredBeforeTheWinnerAskedCannotBeExplained() {
    Held held = new Held(running(ONE, 1000));

    assertThat(ends(sent(claim(TWO), held, 0, 4), sent(claim(ONE), FIRST, 5, 15))).isEmpty();
  }

  @Test
  void aLookDuringAClaimMaySeeItOrNot() {
    ModelCall find = new ReaderCall.Find();
    Optional<Entry> present = Optional.of(running(ONE, 1000));

    assertThat(ends(sent(claim(ONE), FIRST, 0, 10), sent(find, Optional.empty(), 5, 15)))
        .hasSize(1);
    assertThat(ends(sent(claim(ONE), FIRST, 0, 10), sent(find, present, 5, 15))).hasSize(1);
    assertThat(ends(sent(claim(ONE), FIRST, 0, 10), sent(find, Optional.empty(), 11, 15)))
        .isEmpty();
  }

  @Test
  void anEntryWithAnotherFenceCannotBeExplained() {
    Optional<Entry> other = Optional.of(running(ONE, 1001));

    assertThat(ends(sent(claim(ONE), FIRST, 0, 10), sent(new ReaderCall.Find(), other, 11, 15)))
        .isEmpty();
  }

  @Test
  void aClaimWithoutAnAnswerMayHaveBeenAppliedOrNot() {
    ModelCall find = new ReaderCall.Find();
    Sent lost = sent(claim(ONE), null, 5, Long.MAX_VALUE);

    assertThat(ends(lost, sent(find, Optional.empty(), 20, 25))).hasSize(2);
    assertThat(ends(lost, sent(find, Optional.of(running(ONE, 1000)), 20, 25))).hasSize(1);
    assertThat(ends(lost, sent(find, Optional.of(running(ONE, 1000)), 0, 4))).isEmpty();
  }

  @Test
  void aHistoryThatDoesNotFitIsRefused() {
    List<Sent> many = Collections.nCopies(64, sent(claim(ONE), FIRST, 0, 1));

    assertThatIllegalArgumentException().isThrownBy(() -> new CallHistory(many, NOW));
  }
}
