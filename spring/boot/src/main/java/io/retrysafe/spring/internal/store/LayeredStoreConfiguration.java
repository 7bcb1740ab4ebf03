// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.store;

import io.retrysafe.spring.internal.properties.RetrysafeProperties;
import io.retrysafe.spring.internal.properties.RetrysafeProperties.Layered;
import io.retrysafe.spring.internal.properties.RetrysafeProperties.Near;
import io.retrysafe.spring.internal.properties.RetrysafeProperties.StoreKind;
import io.retrysafe.spring.internal.startup.StartupException;
import io.retrysafe.spring.internal.store.ApplicationRedisConfiguration.ApplicationRedis;
import io.retrysafe.store.NearCopies;
import io.retrysafe.store.jdbc.JdbcStore;
import io.retrysafe.store.layered.LayeredStore;
import io.retrysafe.store.layered.MemoryCopies;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;

/** The store in the database with near copies in front. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(LayeredStore.class)
@ConditionalOnStore(StoreKind.LAYERED)
@ConditionalOnBean(JdbcStore.class)
final class LayeredStoreConfiguration {

  @Bean
  @Primary
  LayeredStore retrysafeLayeredStore(
      JdbcStore record,
      RetrysafeProperties properties,
      ObjectProvider<ApplicationRedis> applicationRedis) {
    Layered layered = properties.layered();
    NearCopies copies =
        layered.near() == Near.REDIS
            ? RedisNearCopies.copies(properties, applicationRedis.getIfAvailable())
            : MemoryCopies.create(layered.memory().toBytes());
    LayeredStore.Builder builder = LayeredStore.builder(record, copies).nearTtl(layered.nearTtl());
    String secret = layered.secret();
    if (secret != null) {
      builder.secret(secret.getBytes(StandardCharsets.UTF_8));
    }
    try {
      return builder.build();
    } catch (IllegalStateException e) {
      copies.close();
      throw new StartupException(
          "Near copies in Redis cannot be used: " + e.getMessage() + ".",
          "Set retrysafe.layered.secret to at least 16 random characters, the same for all"
              + " processes.",
          e);
    }
  }
}
