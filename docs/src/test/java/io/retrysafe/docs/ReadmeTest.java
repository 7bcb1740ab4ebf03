// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.Codec;
import io.retrysafe.DeclaredOperation;
import io.retrysafe.Fingerprint;
import io.retrysafe.InProgressException;
import io.retrysafe.MismatchException;
import io.retrysafe.Retrysafe;
import io.retrysafe.store.memory.MemoryStore;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs the README's code. */
class ReadmeTest {
  private final Bank bank = new Bank();

  // snippet:pay
  Retrysafe retrysafe = Retrysafe.create(MemoryStore.create());
  DeclaredOperation<String> pay = retrysafe.operation("pay", Codec.string());

  String pay(String merchant, String order, long cents) {
    return pay.run(
        merchant,
        order,
        Fingerprint.ofText("EUR", Long.toString(cents)),
        operation -> bank.charge(operation.downstreamKey("bank"), cents));
  }

  // end

  @AfterEach
  void close() {
    retrysafe.close();
  }

  @Test
  void aRetryIsNotChargedAndGetsTheSameReceipt() {
    String receipt = pay("merchant_7", "order-1001", 2500);
    assertThat(pay("merchant_7", "order-1001", 2500)).isEqualTo(receipt);
    assertThat(bank.charges).hasSize(1);
  }

  @Test
  void anotherAmountUnderTheSameKeyIsRefused() {
    pay("merchant_7", "order-1001", 2500);
    assertThatThrownBy(() -> pay("merchant_7", "order-1001", 9900))
        .isInstanceOf(MismatchException.class);
    assertThat(bank.charges).hasSize(1);
  }

  @Test
  void aDuplicateOfARunningPaymentGetsInProgress() throws Exception {
    CountDownLatch reached = new CountDownLatch(1);
    CountDownLatch mayGoOn = new CountDownLatch(1);
    bank.meanwhile =
        () -> {
          reached.countDown();
          mayGoOn.await();
          return null;
        };
    Future<String> first =
        CompletableFuture.supplyAsync(() -> pay("merchant_7", "order-1001", 2500));
    reached.await();
    assertThatThrownBy(() -> pay("merchant_7", "order-1001", 2500))
        .isInstanceOf(InProgressException.class);
    mayGoOn.countDown();
    assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo("receipt for 2500");
    assertThat(bank.charges).hasSize(1);
  }

  /** A bank that would charge every time. */
  private static final class Bank {
    final List<String> charges = new CopyOnWriteArrayList<>();
    Callable<@Nullable Void> meanwhile = () -> null;

    String charge(String key, long cents) {
      charges.add(key);
      try {
        meanwhile.call();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      return "receipt for " + cents;
    }
  }
}
