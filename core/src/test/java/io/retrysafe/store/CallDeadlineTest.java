// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class CallDeadlineTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private long now = 1_000;

  private <T> T within(Duration time, Supplier<T> call) {
    return CallDeadline.within(time, () -> now, call);
  }

  @Test
  void withoutADeadlineTheTimeoutOfTheStoreHolds() {
    assertThat(CallDeadline.timeLeft(TIMEOUT)).isEqualTo(TIMEOUT);
  }

  @Test
  void theEarlierOfDeadlineAndTimeoutHolds() {
    assertThat(within(Duration.ofSeconds(2), () -> CallDeadline.timeLeft(TIMEOUT)))
        .isEqualTo(Duration.ofSeconds(2));
    assertThat(within(Duration.ofSeconds(9), () -> CallDeadline.timeLeft(TIMEOUT)))
        .isEqualTo(TIMEOUT);
  }

  @Test
  void theTimeLeftShrinksToNothing() {
    Duration left =
        within(
            Duration.ofSeconds(2),
            () -> {
              now += Duration.ofMillis(1_500).toNanos();
              return CallDeadline.timeLeft(TIMEOUT);
            });
    assertThat(left).isEqualTo(Duration.ofMillis(500));
    Duration none =
        within(
            Duration.ofSeconds(2),
            () -> {
              now += Duration.ofSeconds(3).toNanos();
              return CallDeadline.timeLeft(TIMEOUT);
            });
    assertThat(none).isZero();
  }

  @Test
  void insideAnotherDeadlineTheEarlierHolds() {
    assertThat(
            within(
                Duration.ofSeconds(1),
                () -> within(Duration.ofSeconds(3), () -> CallDeadline.timeLeft(TIMEOUT))))
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(
            within(
                Duration.ofSeconds(3),
                () -> {
                  Duration inner =
                      within(Duration.ofSeconds(1), () -> CallDeadline.timeLeft(TIMEOUT));
                  return inner.plus(CallDeadline.timeLeft(TIMEOUT));
                }))
        .isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  void itEndsWithItsCallAndIsOfItsThreadOnly() {
    assertThatThrownBy(
            () ->
                within(
                    Duration.ofSeconds(1),
                    () -> {
                      throw new StackOverflowError();
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(CallDeadline.timeLeft(TIMEOUT)).isEqualTo(TIMEOUT);
    Duration elsewhere =
        within(
            Duration.ofSeconds(1),
            () -> CompletableFuture.supplyAsync(() -> CallDeadline.timeLeft(TIMEOUT)).join());
    assertThat(elsewhere).isEqualTo(TIMEOUT);
  }
}
