// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.retrysafe.http.Answer;
import io.retrysafe.http.Route;
import io.retrysafe.http.servlet.RetrysafeFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the route of a request, and tells Micrometer what became of it: {@code retrysafe.request}
 * with the route and how it was answered. Never with a key, an account or a path.
 */
final class ObservationFilter implements Filter {
  private final RetrysafeFilter filter;
  private final AnnotatedHandlers handlers;
  private final ObservationRegistry observations;

  ObservationFilter(
      RetrysafeFilter filter, AnnotatedHandlers handlers, ObservationRegistry observations) {
    this.filter = filter;
    this.handlers = handlers;
    this.observations = observations;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    Optional<Route> route =
        request.getDispatcherType() == DispatcherType.REQUEST
                && request.getAttribute(AnnotatedHandlers.FOUND) == null
                && request instanceof HttpServletRequest http
            ? handlers.find(http)
            : Optional.empty();
    if (route.isEmpty()) {
      filter.doFilter(request, response, chain);
      return;
    }
    Observation observation =
        Observation.createNotStarted("retrysafe.request", observations)
            .lowCardinalityKeyValue("route", route.get().name())
            .start();
    Observation.Scope scope = observation.openScope();
    try {
      filter.doFilter(request, response, chain);
    } finally {
      scope.close();
      observation.lowCardinalityKeyValue("result", result(request)).stop();
    }
  }

  private static String result(ServletRequest request) {
    return RetrysafeFilter.answer(request)
        .map(ObservationFilter::word)
        .orElseGet(() -> RetrysafeFilter.exchange(request).isPresent() ? "run" : "passed");
  }

  private static String word(Answer answer) {
    return switch (answer.source()) {
      case PROBLEM -> "problem-" + answer.status();
      case HANDLER, REPLAY, NOT_KEPT ->
          answer.source().name().toLowerCase(Locale.ROOT).replace('_', '-');
    };
  }

  @Override
  public void destroy() {
    filter.destroy();
  }
}
