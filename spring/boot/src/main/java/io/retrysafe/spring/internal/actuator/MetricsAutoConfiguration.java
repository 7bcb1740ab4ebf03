// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.actuator;

import io.micrometer.core.instrument.MeterRegistry;
import io.retrysafe.Listener;
import io.retrysafe.spring.internal.engine.RetrysafeAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The counters of events. */
@AutoConfiguration(before = RetrysafeAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "retrysafe.enabled", matchIfMissing = true)
@ConditionalOnClass(MeterRegistry.class)
public final class MetricsAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "retrysafeEventCounters")
  Listener retrysafeEventCounters(ObjectProvider<MeterRegistry> registries) {
    return new EventCounters(registries::getIfAvailable);
  }
}
