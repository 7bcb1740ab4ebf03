// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.actuator;

import io.retrysafe.OperationKey;
import io.retrysafe.Scope;
import io.retrysafe.store.Store;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The health of the store: it must answer a lookup of an operation that does not exist. */
final class StoreHealthIndicator extends AbstractHealthIndicator {
  private static final OperationKey ABSENT =
      OperationKey.of(Scope.of("retrysafe", "health", "nobody"), "health");

  private final Store store;

  StoreHealthIndicator(Store store) {
    super("the store of operations does not answer");
    this.store = store;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    builder
        .withDetail("store", store.profile().name())
        .withDetail("promise", store.profile().promise());
    store.find(ABSENT);
    builder.up();
  }
}
