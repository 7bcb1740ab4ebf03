// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.OperationFailedException;
import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.spring.internal.engine.RetrysafeAutoConfiguration;
import io.retrysafe.spring.internal.method.MethodsAutoConfiguration;
import io.retrysafe.spring.internal.store.StoreAutoConfiguration;
import io.retrysafe.store.Entry;
import io.retrysafe.store.Store;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Where the policies of annotated methods come from: no guard and no route is needed. */
final class MethodPolicyTest {
  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  StoreAutoConfiguration.class,
                  RetrysafeAutoConfiguration.class,
                  MethodsAutoConfiguration.class))
          .withPropertyValues("retrysafe.store=memory")
          .withBean(Mail.class);

  @Test
  void thePropertiesApplyWithoutAnHttpGuard() {
    runner
        .withPropertyValues("retrysafe.retention=3d", "retrysafe.failures=release")
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(HttpGuard.class);
              Mail mail = context.getBean(Mail.class);
              mail.send("m-1");
              assertThat(retention(context, "Mail.send", "m-1")).isEqualTo(Duration.ofDays(3));

              assertThatThrownBy(() -> mail.fail("m-2")).isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(() -> mail.fail("m-2")).isInstanceOf(IllegalStateException.class);
              assertThat(mail.runs()).hasValue(3);
            });
  }

  @Test
  void theAnnotationComesBeforeTheProperties() {
    runner
        .withPropertyValues("retrysafe.retention=3d", "retrysafe.failures=release")
        .run(
            context -> {
              Mail mail = context.getBean(Mail.class);
              mail.sendForAWeek("m-1");
              assertThat(retention(context, "Mail.sendForAWeek", "m-1"))
                  .isEqualTo(Duration.ofDays(7));

              assertThatThrownBy(() -> mail.failOnce("m-2"))
                  .isInstanceOf(IllegalStateException.class);
              assertThatThrownBy(() -> mail.failOnce("m-2"))
                  .isInstanceOf(OperationFailedException.class);
            });
  }

  @Test
  void aGuardOfTheApplicationDoesNotChangeThePolicyOfMethods() {
    runner
        .withBean(
            HttpGuard.class,
            () -> {
              throw new IllegalStateException("methods need no guard");
            },
            definition -> definition.setLazyInit(true))
        .run(
            context -> {
              context.getBean(Mail.class).send("m-1");
              assertThat(retention(context, "Mail.send", "m-1")).isEqualTo(Duration.ofDays(1));
            });
  }

  @Test
  void aSettingOfRequestsIsRefusedAtTheStart() {
    runner
        .withBean(WithKeyHeader.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("key-header")
                    .hasMessageContaining("which methods do not take"));
  }

  @Test
  void aPolicyThatTheStoreCannotKeepIsRefusedAtTheStart() {
    runner
        .withPropertyValues("retrysafe.retention=500d")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("longer than the store keeps unsettled entries"));
  }

  private static Duration retention(ApplicationContext context, String operation, String key) {
    Entry entry =
        context
            .getBean(Store.class)
            .find(OperationKey.of(Scope.of("application", "itself", operation), key))
            .orElseThrow();
    return Duration.between(entry.times().leaseUntil(), entry.times().expiresAt());
  }

  /** A service. */
  static class Mail {
    private final AtomicInteger runs = new AtomicInteger();

    public AtomicInteger runs() {
      return runs;
    }

    @Idempotent(key = "#id")
    public String send(String id) {
      return id + runs.incrementAndGet();
    }

    @Idempotent(key = "#id", settings = "retention=7d")
    public String sendForAWeek(String id) {
      return id + runs.incrementAndGet();
    }

    @Idempotent(key = "#id")
    public String fail(String id) {
      runs.incrementAndGet();
      throw new IllegalStateException(id);
    }

    @Idempotent(key = "#id", settings = "failures=keep")
    public String failOnce(String id) {
      throw new IllegalStateException(id);
    }
  }

  /** A service with a setting that only requests have. */
  static class WithKeyHeader {
    @Idempotent(key = "#id", settings = "key-header=X-Key")
    public String send(String id) {
      return id;
    }
  }
}
