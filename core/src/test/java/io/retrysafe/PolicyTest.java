// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PolicyTest {
  private static final Duration TOO_LONG = Duration.ofDays(3661);

  @Test
  void theDefaultsAreThoseOfTheDocumentation() {
    Policy policy = Policy.create();

    assertThat(policy.lease()).isEqualTo(Duration.ofSeconds(30));
    assertThat(policy.maxRunning()).isEqualTo(Duration.ofHours(1));
    assertThat(policy.retention()).isEqualTo(Duration.ofHours(24));
    assertThat(policy.waitUpTo()).isZero();
    assertThat(policy.recovery()).isEqualTo(Recovery.park());
    assertThat(policy.failures()).isEqualTo(Failures.KEEP);
    assertThat(policy.largestAnswer()).isEqualTo(1024 * 1024);
    assertThat(Recovery.rerun()).isEqualTo(Recovery.rerun(5, Duration.ofHours(1)));
  }

  @Test
  void aSetterReturnsAnotherPolicyAndKeepsTheRest() {
    Policy policy =
        Policy.create()
            .lease(Duration.ofSeconds(1))
            .maxRunning(Duration.ofSeconds(2))
            .retention(Duration.ofSeconds(3))
            .waitUpTo(Duration.ofSeconds(4))
            .recovery(Recovery.rerun())
            .failures(Failures.RESUME)
            .largestAnswer(5);

    assertThat(policy.lease()).isEqualTo(Duration.ofSeconds(1));
    assertThat(policy.maxRunning()).isEqualTo(Duration.ofSeconds(2));
    assertThat(policy.retention()).isEqualTo(Duration.ofSeconds(3));
    assertThat(policy.waitUpTo()).isEqualTo(Duration.ofSeconds(4));
    assertThat(policy.recovery()).isEqualTo(Recovery.rerun());
    assertThat(policy.failures()).isEqualTo(Failures.RESUME);
    assertThat(policy.largestAnswer()).isEqualTo(5);
    assertThat(Policy.create().lease()).isEqualTo(Duration.ofSeconds(30));
  }

  @Test
  void aMessageSaysWhatWasWrongAndTheValue() {
    assertThatThrownBy(() -> Policy.create().lease(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("lease must be positive, was PT0S");
  }

  @Test
  void badValuesAreRefused() {
    Policy policy = Policy.create();
    refused(() -> policy.lease(Duration.ofSeconds(-1)));
    refused(() -> policy.lease(TOO_LONG));
    refused(() -> policy.maxRunning(Duration.ZERO));
    refused(() -> policy.retention(Duration.ZERO));
    refused(() -> policy.waitUpTo(Duration.ofMillis(-1)));
    refused(() -> policy.waitUpTo(TOO_LONG));
    refused(() -> policy.largestAnswer(-1));
    refused(() -> Recovery.rerun(1, Duration.ofHours(1)));
    refused(() -> Recovery.rerun(2, Duration.ZERO));
    policy
        .largestAnswer(0)
        .waitUpTo(Duration.ZERO)
        .recovery(Recovery.rerun(2, Duration.ofNanos(1)));
  }

  @Test
  void badSettingsOfAnEngineAreRefused() {
    refused(builder -> builder.storeDeadline(Duration.ZERO));
    refused(builder -> builder.waiters(-1));
    refused(builder -> builder.sweepEvery(Duration.ofSeconds(-1)));
    refused(builder -> builder.recoverEvery(Duration.ZERO, operation -> new Lookup.CannotTell()));
    refused(builder -> builder.policy(Policy.create().retention(Duration.ofDays(31))).build());
  }

  private static void refused(Runnable call) {
    assertThatThrownBy(call::run).isInstanceOf(IllegalArgumentException.class);
  }

  private static void refused(Consumer<Retrysafe.Builder> setting) {
    Retrysafe.Builder builder =
        Retrysafe.builder(io.retrysafe.store.MemoryStore.create()).seam(new ManualSeam());
    assertThatThrownBy(() -> setting.accept(builder)).isInstanceOf(IllegalArgumentException.class);
  }
}
