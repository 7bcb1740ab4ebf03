// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import io.micrometer.observation.ObservationRegistry;
import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.servlet.ReplayAuthorizer;
import io.retrysafe.http.servlet.RetrysafeFilter;
import io.retrysafe.spring.AccountResolver;
import io.retrysafe.spring.internal.properties.PolicyProperties;
import io.retrysafe.spring.internal.properties.RetrysafeProperties;
import io.retrysafe.spring.internal.transaction.TransactionJoiner;
import io.retrysafe.spring.internal.transaction.TransactionJoiningAutoConfiguration;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** The filter before Spring MVC, just behind Spring Security. */
@AutoConfiguration(
    after = {HttpGuardAutoConfiguration.class, TransactionJoiningAutoConfiguration.class},
    afterName = "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass({DispatcherServlet.class, RetrysafeFilter.class})
@ConditionalOnBean(HttpGuard.class)
public final class MvcAutoConfiguration {
  private static final int SECURITY = -100;
  private static final boolean HAS_SECURITY =
      ClassUtils.isPresent(
          "org.springframework.security.access.AccessDeniedException",
          MvcAutoConfiguration.class.getClassLoader());

  @Bean
  AnnotatedHandlers retrysafeHandlers(
      HttpGuard guard,
      ObjectProvider<RequestMappingHandlerMapping> mappings,
      Environment environment,
      ObjectProvider<TransactionJoiner> joining,
      ObjectProvider<ReplayAuthorizer> authorizers) {
    HandlerChecks checks =
        new HandlerChecks(
            () -> TransactionJoiningAutoConfiguration.required(joining),
            () -> authorizers.getIfAvailable() != null);
    return new AnnotatedHandlers(
        guard, mappings, new PolicyProperties(environment).routes(), checks);
  }

  @Bean
  @ConditionalOnMissingBean
  RetrysafeFilter retrysafeFilter(
      HttpGuard guard,
      Environment environment,
      ObjectProvider<AccountResolver> accounts,
      ObjectProvider<ReplayAuthorizer> authorizers) {
    AccountResolver account =
        accounts.getIfAvailable(
            () ->
                request -> {
                  Principal principal = request.getUserPrincipal();
                  return principal == null ? null : principal.getName();
                });
    String errorPage =
        environment.getProperty(
            "spring.web.error.path", environment.getProperty("error.path", "/error"));
    return RetrysafeFilter.builder(guard)
        .finder(AnnotatedHandlers::found)
        .account(account::account)
        .version(AnnotatedHandlers::version)
        .errorPage(errorPage)
        .passOn(HAS_SECURITY ? SecurityExceptions::isOne : thrown -> false)
        .handledException(MvcAutoConfiguration::handledException)
        .replayAuthorizer(authorizers.getIfAvailable(() -> (request, replay) -> true))
        .build();
  }

  /** Returns what Spring MVC resolved: with an answer, or with a view. */
  private static @Nullable Throwable handledException(HttpServletRequest request) {
    for (String name :
        List.of(DispatcherServlet.EXCEPTION_ATTRIBUTE, RequestDispatcher.ERROR_EXCEPTION)) {
      if (request.getAttribute(name) instanceof Throwable thrown) {
        return thrown;
      }
    }
    return null;
  }

  @Bean
  FilterRegistrationBean<Filter> retrysafeFilterRegistration(
      RetrysafeFilter filter,
      AnnotatedHandlers handlers,
      Environment environment,
      RetrysafeProperties properties,
      ObjectProvider<ObservationRegistry> observations) {
    Filter observed =
        new ObservationFilter(
            filter, handlers, observations.getIfAvailable(() -> ObservationRegistry.NOOP));
    return registration(observed, "retrysafe", order(environment, properties));
  }

  @Bean
  FilterRegistrationBean<Filter> retrysafeJoiningFilterRegistration(
      AnnotatedHandlers handlers,
      Environment environment,
      RetrysafeProperties properties,
      ObjectProvider<TransactionJoiner> joining) {
    TransactionJoiningFilter filter =
        new TransactionJoiningFilter(
            handlers::isJoined, () -> TransactionJoiningAutoConfiguration.required(joining));
    return registration(filter, "retrysafeJoining", order(environment, properties) + 1);
  }

  private static int order(Environment environment, RetrysafeProperties properties) {
    Integer own = properties.filterOrder();
    int security = environment.getProperty("spring.security.filter.order", Integer.class, SECURITY);
    return own == null ? security + 10 : own;
  }

  private static FilterRegistrationBean<Filter> registration(
      Filter filter, String name, int order) {
    FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
    registration.setName(name);
    registration.setOrder(order);
    registration.setAsyncSupported(true);
    registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.ASYNC);
    return registration;
  }

  /** The filter bean itself is registered above, inside the one that observes it. */
  @Bean
  FilterRegistrationBean<RetrysafeFilter> retrysafeFilterItself(RetrysafeFilter filter) {
    FilterRegistrationBean<RetrysafeFilter> registration = new FilterRegistrationBean<>(filter);
    registration.setEnabled(false);
    return registration;
  }

  @Bean
  WebMvcConfigurer retrysafeUnguarded() {
    return new WebMvcConfigurer() {
      @Override
      public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new UnguardedHandlerCheck());
      }
    };
  }

  @Bean
  ProblemAdvice retrysafeProblemAdvice(HttpGuard guard) {
    return new ProblemAdvice(guard);
  }
}
