// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.engine;

import io.retrysafe.Listener;
import io.retrysafe.Retrysafe;
import io.retrysafe.spring.internal.properties.RetrysafeProperties;
import io.retrysafe.spring.internal.startup.StartupException;
import io.retrysafe.spring.internal.store.StoreAutoConfiguration;
import io.retrysafe.store.Profile;
import io.retrysafe.store.Store;
import java.util.Locale;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** The engine on the store of the application. */
@AutoConfiguration(after = StoreAutoConfiguration.class)
@ConditionalOnBooleanProperty(name = "retrysafe.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RetrysafeProperties.class)
public final class RetrysafeAutoConfiguration {
  private static final System.Logger LOG = System.getLogger("io.retrysafe.spring");

  @Bean
  @ConditionalOnMissingBean
  Retrysafe retrysafe(
      ObjectProvider<Store> stores,
      RetrysafeProperties properties,
      ObjectProvider<Listener> listeners,
      Environment environment) {
    Store store = stores.getIfAvailable();
    if (store == null) {
      throw noStore(properties);
    }
    Profile profile = store.profile();
    LOG.log(
        System.Logger.Level.INFO,
        "operations are recorded in {0}: {1}; on condition of {2}",
        profile.name(),
        profile.promise(),
        profile.conditions());
    String application = environment.getProperty("spring.application.name", "engine");
    String name = properties.name();
    Retrysafe.Builder builder =
        Retrysafe.builder(store)
            .storeDeadline(properties.storeDeadline())
            .sweepEvery(properties.sweepEvery())
            .name(name == null ? application : name);
    DataSize pendingMemory = properties.pendingMemory();
    if (pendingMemory != null) {
      builder.pendingMemory(pendingMemory.toBytes());
    }
    listeners.orderedStream().forEach(builder::listener);
    return builder.build();
  }

  private static StartupException noStore(RetrysafeProperties properties) {
    String description =
        switch (properties.store()) {
          case AUTO -> "Retrysafe found nowhere to record operations.";
          case JDBC, LAYERED ->
              "retrysafe.store is "
                  + properties.store().name().toLowerCase(Locale.ROOT)
                  + ", but there is no single DataSource, or retrysafe-store-jdbc is missing.";
          case REDIS ->
              "retrysafe.store is redis, but there is neither a Lettuce client nor"
                  + " retrysafe.redis.url, or retrysafe-store-redis is missing.";
          case MEMORY -> "retrysafe.store is memory, but another condition was not met.";
        };
    return new StartupException(
        description,
        "Give the application a DataSource and the dependency retrysafe-store-jdbc, or a Redis"
            + " connection and retrysafe-store-redis, or a Store bean of your own. For tests and"
            + " development, retrysafe.store=memory forgets everything at the end.");
  }

  /** Fails startup, because the annotations would have no effect in a reactive application. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
  static class Reactive {
    Reactive() {
      throw new StartupException(
          "Retrysafe does not support reactive web applications yet: @Idempotent would do nothing.",
          "Use Spring MVC (spring.main.web-application-type=servlet), put a Retrysafe gateway before"
              + " the application, or set retrysafe.enabled=false.");
    }
  }
}
