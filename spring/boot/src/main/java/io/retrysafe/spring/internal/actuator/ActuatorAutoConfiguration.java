// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.actuator;

import io.retrysafe.Retrysafe;
import io.retrysafe.spring.internal.engine.RetrysafeAutoConfiguration;
import io.retrysafe.store.Store;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The endpoint and the health indicator for Actuator. */
@AutoConfiguration(after = RetrysafeAutoConfiguration.class)
@ConditionalOnBean(Store.class)
public final class ActuatorAutoConfiguration {

  /** The list of operations, if the endpoint is exposed. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
  static class Operations {
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnAvailableEndpoint
    OperationsEndpoint retrysafeOperationsEndpoint(Store store, Retrysafe engine) {
      return new OperationsEndpoint(store, engine);
    }
  }

  /** The health of the store. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
  static class StoreHealth {
    @Bean
    @ConditionalOnMissingBean(name = "retrysafeHealthIndicator")
    @ConditionalOnEnabledHealthIndicator("retrysafe")
    StoreHealthIndicator retrysafeHealthIndicator(Store store) {
      return new StoreHealthIndicator(store);
    }
  }
}
