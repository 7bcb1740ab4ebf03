// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.micrometer.observation.ObservationRegistry;
import io.retrysafe.Retrysafe;
import io.retrysafe.spring.Idempotent;
import io.retrysafe.spring.UnknownOutcomes;
import io.retrysafe.spring.internal.engine.RetrysafeAutoConfiguration;
import io.retrysafe.spring.internal.properties.PolicyProperties;
import io.retrysafe.spring.internal.transaction.TransactionJoiner;
import io.retrysafe.spring.internal.transaction.TransactionJoiningAutoConfiguration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import tools.jackson.databind.json.JsonMapper;

/** {@link Idempotent} on methods of any bean. */
@AutoConfiguration(
    after = {RetrysafeAutoConfiguration.class, TransactionJoiningAutoConfiguration.class},
    afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnBean(Retrysafe.class)
public final class MethodsAutoConfiguration {

  /** Static and lazy: it is made before all beans that it looks at. */
  @Bean
  static IdempotentBeanPostProcessor retrysafeIdempotentMethods(
      ObjectProvider<Retrysafe> engine,
      Environment environment,
      ObjectProvider<UnknownOutcomes> unknown,
      ObjectProvider<TransactionJoiner> joining,
      ObjectProvider<JsonValueCodec> json,
      ObjectProvider<Caller> caller,
      ObjectProvider<ObservationRegistry> observations) {
    MethodOperations operations =
        new MethodOperations(
            engine::getObject,
            new MethodPolicies(
                () -> new PolicyProperties(environment).policy(unknown.getIfAvailable())),
            () -> Optional.ofNullable(json.getIfAvailable()));
    IdempotentInterceptor interceptor =
        new IdempotentInterceptor(
            engine::getObject,
            operations,
            () -> TransactionJoiningAutoConfiguration.required(joining),
            () -> caller.getIfAvailable(() -> () -> null).name(),
            () -> observations.getIfAvailable(() -> ObservationRegistry.NOOP));
    return new IdempotentBeanPostProcessor(interceptor, operations);
  }

  /** Who calls, as the server knows it. */
  @FunctionalInterface
  interface Caller {
    @Nullable String name();
  }

  /** Where there is Spring Security. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(SecurityContextHolder.class)
  static class WithSecurity {
    @Bean
    Caller retrysafeCaller() {
      return () -> {
        Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
        if (authentication == null || authentication instanceof AnonymousAuthenticationToken) {
          return null;
        }
        return authentication.isAuthenticated() ? authentication.getName() : null;
      };
    }
  }

  /** Where there is Jackson. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(JsonMapper.class)
  static class WithJackson {
    @Bean
    @ConditionalOnSingleCandidate(JsonMapper.class)
    JsonValueCodec retrysafeJsonResults(JsonMapper mapper) {
      return new JsonValueCodec(mapper);
    }
  }
}
