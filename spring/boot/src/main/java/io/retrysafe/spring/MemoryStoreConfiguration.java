// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import io.retrysafe.spring.RetrysafeProperties.StoreKind;
import io.retrysafe.store.Store;
import io.retrysafe.store.memory.MemoryStore;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** In memory, because somebody said so. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnStore(StoreKind.MEMORY)
@ConditionalOnMissingBean(Store.class)
final class MemoryStoreConfiguration {
  @Bean
  MemoryStore retrysafeMemoryStore() {
    return MemoryStore.create();
  }
}
