// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import io.retrysafe.Retrysafe;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.spring.UnknownOutcomes;
import io.retrysafe.spring.internal.engine.RetrysafeAutoConfiguration;
import io.retrysafe.spring.internal.properties.PolicyProperties;
import io.retrysafe.spring.internal.startup.StartupException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The guard of HTTP requests, with the routes of the properties. */
@AutoConfiguration(after = RetrysafeAutoConfiguration.class)
@ConditionalOnBean(Retrysafe.class)
public final class HttpGuardAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  HttpGuard retrysafeHttpGuard(
      Retrysafe engine, Environment environment, ObjectProvider<UnknownOutcomes> unknown) {
    PolicyProperties properties = new PolicyProperties(environment);
    HttpGuard.Builder builder =
        HttpGuard.builder(engine).policy(properties.policy(unknown.getIfAvailable()));
    try {
      properties.routes().forEach(route -> builder.route(route.match(), route.policy()));
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw new StartupException(
          "The routes of Retrysafe cannot be used: " + e.getMessage() + ".",
          "Correct retrysafe.routes.",
          e);
    }
  }
}
