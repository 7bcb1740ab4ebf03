// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.retrysafe.Event;
import io.retrysafe.Listener;
import io.retrysafe.store.ClaimResult;
import io.retrysafe.store.NoAnswerException;
import io.retrysafe.store.PreviousPhase;
import io.retrysafe.store.RefusedCallException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** When an outage begins and ends, of stores that answer some kinds of calls and not others. */
class StoreHealthTest {
  private final Throwable silent = new NoAnswerException("a replica now", null);
  private final Throwable full = new RefusedCallException("no space", null);
  private static final Object GRANTED =
      new ClaimResult.Granted(1, 1, PreviousPhase.ABSENT, Map.of());
  private static final Object READ = Optional.empty();
  private static final Object RENEWED = Set.of("an owner");

  private final ManualRuntime runtime = new ManualRuntime();
  private final List<String> reports = new ArrayList<>();
  private final StoreHealth health =
      new StoreHealth(
          runtime, new Events(List.of(new Reports()), null), "redis", Duration.ofSeconds(1));
  private int wakes;

  private final class Reports implements Listener {
    @Override
    public void on(Event event) {}

    @Override
    public void onOutage(String description) {
      reports.add(description);
    }

    @Override
    public void onOutageEnd(String description, Duration lasted) {
      reports.add(description + " after " + lasted.toSeconds() + " s");
    }
  }

  /** Lets calls of one kind fail ten times a second, with an answer to another kind after each. */
  private void failing(CallKind kind, Throwable cause, int seconds, CallKind other, Object answer) {
    for (int i = 0; i < seconds * 10; i++) {
      long begun = runtime.nanos();
      runtime.advance(Duration.ofMillis(50));
      health.failed(kind, begun, cause);
      runtime.advance(Duration.ofMillis(50));
      health.answered(other, answer);
    }
  }

  private void failing(CallKind kind, Throwable cause, int seconds) {
    for (int i = 0; i < seconds * 10; i++) {
      long begun = runtime.nanos();
      runtime.advance(Duration.ofMillis(100));
      health.failed(kind, begun, cause);
    }
  }

  @Test
  void aReplicaThatAnswersReadsIsReportedOnce() {
    failing(CallKind.CLAIM, silent, 20, CallKind.OTHER, READ);
    assertThat(reports).containsExactly("the store redis does not answer claims: a replica now");
    health.answered(CallKind.CLAIM, GRANTED);
    assertThat(reports).hasSize(2).last().isEqualTo("the store redis answers again after 20 s");
  }

  @Test
  void aFullStoreThatRenewsLeasesIsReportedOnce() {
    failing(CallKind.CLAIM, full, 20, CallKind.OTHER, RENEWED);
    assertThat(reports).containsExactly("the store redis refuses writes: no space");
    health.answered(CallKind.CLAIM, GRANTED);
    assertThat(reports)
        .hasSize(2)
        .last()
        .isEqualTo("the store redis accepts writes again after 20 s");
  }

  @Test
  void aFullStoreThatTakesCompletionsIsReportedOnce() {
    failing(CallKind.CLAIM, full, 20, CallKind.COMPLETION, true);
    assertThat(reports).hasSize(1);
    health.answered(CallKind.CLAIM, GRANTED);
    assertThat(reports).hasSize(2);
  }

  @Test
  void claimsThatFailAloneAreReportedOnce() {
    failing(CallKind.CLAIM, silent, 20, CallKind.COMPLETION, true);
    assertThat(reports).containsExactly("the store redis does not answer claims: a replica now");
    health.answered(CallKind.COMPLETION, true);
    assertThat(reports).hasSize(1);
    health.answered(CallKind.CLAIM, GRANTED);
    assertThat(reports).hasSize(2);
  }

  @Test
  void theOutageLastsUntilEveryKindThatFailedWorks() {
    failing(CallKind.CLAIM, full, 3);
    failing(CallKind.COMPLETION, full, 3);
    health.answered(CallKind.CLAIM, GRANTED);
    assertThat(reports).hasSize(1);
    health.answered(CallKind.COMPLETION, true);
    assertThat(reports).hasSize(2);
  }

  @Test
  void aStoreThatWasAwayIsBackWithTheFirstWrite() {
    failing(CallKind.CLAIM, silent, 3);
    assertThat(reports).containsExactly("the store redis does not answer: a replica now");
    health.answered(CallKind.OTHER, READ);
    assertThat(reports).hasSize(1);
    health.answered(CallKind.COMPLETION, true);
    assertThat(reports).hasSize(2).last().isEqualTo("the store redis answers again after 3 s");
  }

  @Test
  void aKindThatIsNotCalledAnyMoreKeepsNoOutageOpen() {
    failing(CallKind.CLAIM, full, 3);
    runtime.advance(Duration.ofSeconds(29));
    health.answered(CallKind.OTHER, READ);
    assertThat(reports).hasSize(1);
    runtime.advance(Duration.ofSeconds(2));
    health.answered(CallKind.OTHER, READ);
    assertThat(reports).hasSize(2);
  }

  @Test
  void aStoreThatWasAwayIsBackWithAReadIfNobodyClaimsForAWhile() {
    failing(CallKind.CLAIM, silent, 3);
    runtime.advance(Duration.ofSeconds(9));
    health.answered(CallKind.OTHER, READ);
    assertThat(reports).hasSize(1);
    runtime.advance(Duration.ofSeconds(2));
    health.answered(CallKind.OTHER, READ);
    assertThat(reports).hasSize(2);
  }

  @Test
  void callsThatFailNowAndThenAreNoOutage() {
    for (int i = 0; i < 50; i++) {
      health.failed(CallKind.CLAIM, runtime.nanos(), silent);
      runtime.advance(Duration.ofMillis(100));
      health.answered(CallKind.CLAIM, GRANTED);
      health.failed(CallKind.COMPLETION, runtime.nanos(), silent);
      runtime.advance(Duration.ofHours(1));
      health.answered(CallKind.OTHER, RENEWED);
    }
    assertThat(reports).isEmpty();
  }

  @Test
  void failuresOfCallsThatBeganBeforeTheStoreCameBackBeginNoOutage() {
    long begun = runtime.nanos();
    failing(CallKind.CLAIM, silent, 3);
    health.answered(CallKind.COMPLETION, true);
    assertThat(reports).hasSize(2);
    for (int i = 0; i < 5; i++) {
      runtime.advance(Duration.ofSeconds(1));
      health.failed(CallKind.CLAIM, begun, silent);
      health.late(CallKind.CLAIM, begun, silent);
      health.answered(CallKind.COMPLETION, true);
    }
    assertThat(reports).hasSize(2);
  }

  @Test
  void pendingCallsAreWokenWhenCallsWorkAgain() {
    health.onBack(() -> wakes++);
    failing(CallKind.CLAIM, full, 3);
    health.answered(CallKind.OTHER, READ);
    assertThat(wakes).isZero();
    health.answered(CallKind.CLAIM, GRANTED);
    assertThat(wakes).isEqualTo(1);
    failing(CallKind.OTHER, silent, 3);
    health.answered(CallKind.OTHER, READ);
    assertThat(wakes).isEqualTo(2);
  }
}
