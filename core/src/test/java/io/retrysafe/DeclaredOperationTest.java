// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.retrysafe.store.memory.MemoryStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class DeclaredOperationTest {
  private final MemoryStore store = MemoryStore.create();
  private final Retrysafe retrysafe = Retrysafe.create(store);
  private final DeclaredOperation<String> pay = retrysafe.operation("pay", Codec.string());
  private final AtomicInteger charges = new AtomicInteger();

  @AfterEach
  void close() {
    retrysafe.close();
  }

  @Test
  void aRetryGetsTheFirstResultAndRunsNothing() {
    assertThat(pay("merchant_7", "order-1", "25")).isEqualTo("receipt 1");
    assertThat(pay("merchant_7", "order-1", "25")).isEqualTo("receipt 1");
    assertThat(charges).hasValue(1);
  }

  @Test
  void anotherAccountAndAnotherNameAreOtherOperations() {
    pay("merchant_7", "order-1", "25");
    assertThat(pay("merchant_8", "order-1", "25")).isEqualTo("receipt 2");
    String refund =
        retrysafe
            .operation("refund", Codec.string())
            .run("merchant_7", "order-1", Fingerprint.NONE, operation -> "refunded");
    assertThat(refund).isEqualTo("refunded");
  }

  @Test
  void anotherFingerprintUnderTheSameKeyIsRefused() {
    pay("merchant_7", "order-1", "25");
    assertThatExceptionOfType(MismatchException.class)
        .isThrownBy(() -> pay("merchant_7", "order-1", "26"));
    assertThat(charges).hasValue(1);
  }

  @Test
  void itsScopeIsTheAccountAndItsName() {
    OperationKey key = OperationKey.of(Scope.of("merchant_7", "pay"), "order-1");
    assertThat(pay.key("merchant_7", "order-1")).isEqualTo(key);
    pay("merchant_7", "order-1", "25");
    assertThat(store.find(key)).isPresent();
  }

  @Test
  void itsOwnPolicyDecides() {
    DeclaredOperation<String> again = pay.policy(Policy.create().failures(OnFailure.RELEASE));
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(
            () ->
                again.run(
                    "merchant_7",
                    "order-1",
                    Fingerprint.NONE,
                    operation -> {
                      throw new IllegalStateException("no money");
                    }));
    assertThat(again.run("merchant_7", "order-1", Fingerprint.NONE, operation -> "paid"))
        .isEqualTo("paid");
  }

  @Test
  void beginGrantsOnceAndThenReplays() {
    Decision first = pay.begin("merchant_7", "order-1", Fingerprint.NONE);
    assertThat(first).isInstanceOf(Decision.Granted.class);
    assertThat(pay.begin("merchant_7", "order-1", Fingerprint.NONE))
        .isInstanceOf(Decision.InProgress.class);
  }

  @Test
  void mistakesAreFoundWhenItIsDeclared() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> retrysafe.operation("", Codec.string()))
        .withMessageContaining("must not be empty");
    Duration unkept = store.profile().unsettledRetention().plusDays(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> pay.policy(Policy.create().retention(unkept)))
        .withMessageContaining("raise the store's unsettledRetention");
  }

  private String pay(String merchant, String order, String euros) {
    return pay.run(
        merchant,
        order,
        Fingerprint.ofText(euros),
        operation -> "receipt " + charges.incrementAndGet());
  }
}
