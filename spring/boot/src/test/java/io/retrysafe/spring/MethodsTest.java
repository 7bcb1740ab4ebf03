// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.InProgressException;
import io.retrysafe.MismatchException;
import io.retrysafe.OperationFailedException;
import io.retrysafe.OutcomeUnknownException;
import io.retrysafe.spring.internal.engine.RetrysafeAutoConfiguration;
import io.retrysafe.spring.internal.method.MethodsAutoConfiguration;
import io.retrysafe.spring.internal.store.StoreAutoConfiguration;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

/** {@link Idempotent} on methods of beans. */
final class MethodsTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  JacksonAutoConfiguration.class,
                  StoreAutoConfiguration.class,
                  RetrysafeAutoConfiguration.class,
                  MethodsAutoConfiguration.class))
          .withPropertyValues("retrysafe.store=memory")
          .withBean(Bank.class);

  @AfterEach
  void nobodyIsHere() {
    SecurityContextHolder.clearContext();
  }

  private void with(BankTest test) {
    runner.run(context -> test.run(context.getBean(Bank.class)));
  }

  private interface BankTest {
    void run(Bank bank) throws Exception;
  }

  @Test
  void aRetryGetsTheRecordedResult() {
    with(
        bank -> {
          Receipt first = bank.charge(new Order("o-1", 2500, new TreeMap<>()));

          assertThat(bank.charge(new Order("o-1", 2500, new TreeMap<>()))).isEqualTo(first);
          assertThat(first).isEqualTo(new Receipt(1, List.of("o-1")));
          assertThat(bank.runs()).hasValue(1);
        });
  }

  @Test
  void theOrderOfMembersDoesNotCountButTheirValuesDo() {
    with(
        bank -> {
          bank.charge(new Order("o-1", 1, new LinkedHashMap<>(Map.of("a", "1"))));
          bank.charge(new Order("o-1", 1, new TreeMap<>(Map.of("a", "1"))));

          assertThatThrownBy(() -> bank.charge(new Order("o-1", 2, new TreeMap<>())))
              .isInstanceOf(MismatchException.class);
        });
  }

  @Test
  void onlyWhatTheExpressionSaysIsCompared() {
    with(
        bank -> {
          bank.note("n-1", "EUR", "first note");
          bank.note("n-1", "EUR", "second note");

          assertThat(bank.runs()).hasValue(1);
          assertThatThrownBy(() -> bank.note("n-1", "USD", "first note"))
              .isInstanceOf(MismatchException.class);
        });
  }

  @Test
  void everyCallerHasKeysOfItsOwn() {
    with(
        bank -> {
          for (String name : List.of("anna", "bert", "anna")) {
            SecurityContextHolder.getContext()
                .setAuthentication(new TestingAuthenticationToken(name, "", "USER"));
            bank.note("n-1", "EUR", "");
          }
          SecurityContextHolder.clearContext();
          bank.note("n-1", "EUR", "");

          assertThat(bank.runs()).hasValue(3);
        });
  }

  @Test
  void anAccountMayComeFromTheArguments() {
    with(
        bank -> {
          bank.perTenant("t-1", "k");
          bank.perTenant("t-2", "k");
          bank.perTenant("t-1", "k");

          assertThat(bank.runs()).hasValue(2);
          assertThatThrownBy(() -> bank.perTenant("", "k")).hasMessageContaining("account");
        });
  }

  @Test
  void withoutAKeyNothingRuns() {
    with(
        bank -> {
          assertThatThrownBy(() -> bank.note(" ", "EUR", "")).hasMessageContaining("is empty");
          assertThat(bank.runs()).hasValue(0);
        });
  }

  @Test
  void aFailureIsKept() {
    with(
        bank -> {
          assertThatThrownBy(() -> bank.fail("f-1")).isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(() -> bank.fail("f-1")).isInstanceOf(OperationFailedException.class);
          assertThat(bank.runs()).hasValue(1);
        });
  }

  @Test
  void aTimeOutLeavesTheOutcomeUnknown() {
    with(
        bank -> {
          assertThatThrownBy(() -> bank.timeOut("t-1")).isInstanceOf(IOException.class);
          assertThatThrownBy(() -> bank.timeOut("t-1")).isInstanceOf(OutcomeUnknownException.class);
          assertThat(bank.runs()).hasValue(1);
        });
  }

  @Test
  void aBeanSaysAfterWhichExceptionsTheOutcomeIsUnknown() {
    runner
        .withBean(UnknownOutcomes.class, () -> thrown -> thrown instanceof IllegalStateException)
        .run(
            context -> {
              Bank bank = context.getBean(Bank.class);
              assertThatThrownBy(() -> bank.fail("f-1")).isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(() -> bank.fail("f-1"))
                  .isInstanceOf(OutcomeUnknownException.class);
              assertThatThrownBy(() -> bank.timeOut("t-1")).isInstanceOf(IOException.class);
              assertThatThrownBy(() -> bank.timeOut("t-1"))
                  .isInstanceOf(OperationFailedException.class);
            });
  }

  @Test
  void aDuplicateOfARunningCallIsTold() {
    with(
        bank -> {
          CountDownLatch go = new CountDownLatch(1);
          Thread first = new Thread(() -> bank.slow("s-1", go));
          first.start();
          while (bank.runs().get() == 0 && first.isAlive()) {
            Thread.onSpinWait();
          }
          try {
            assertThatThrownBy(() -> bank.slow("s-1", new CountDownLatch(0)))
                .isInstanceOf(InProgressException.class);
          } finally {
            go.countDown();
            first.join(10_000);
          }
          assertThat(bank.runs()).hasValue(1);
        });
  }

  record Order(String id, long cents, Map<String, String> details) {}

  record Receipt(int number, List<String> orders) {}

  /** A service. */
  static class Bank {
    private final AtomicInteger runs = new AtomicInteger();

    public AtomicInteger runs() {
      return runs;
    }

    @Idempotent(key = "#order.id")
    public Receipt charge(Order order) {
      return new Receipt(runs.incrementAndGet(), List.of(order.id()));
    }

    @Idempotent(key = "#p0", fingerprint = "#currency")
    public void note(String id, String currency, String text) {
      runs.incrementAndGet();
    }

    @Idempotent(key = "#id", account = "#tenant")
    public void perTenant(String tenant, String id) {
      runs.incrementAndGet();
    }

    @Idempotent(key = "#id")
    public String fail(String id) {
      runs.incrementAndGet();
      throw new IllegalStateException("no");
    }

    @Idempotent(key = "#id")
    public String timeOut(String id) throws IOException {
      runs.incrementAndGet();
      throw new IOException("cut");
    }

    @Idempotent(key = "#id", fingerprint = "#id")
    public void slow(String id, CountDownLatch go) {
      runs.incrementAndGet();
      try {
        assertThat(go.await(20, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
