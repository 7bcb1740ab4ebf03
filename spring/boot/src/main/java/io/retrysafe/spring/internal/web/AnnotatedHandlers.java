// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import io.retrysafe.http.HttpGuard;
import io.retrysafe.http.HttpPolicy;
import io.retrysafe.http.Route;
import io.retrysafe.http.servlet.RetrysafeFilter;
import io.retrysafe.spring.Idempotent;
import io.retrysafe.spring.Idempotent.Transaction;
import io.retrysafe.spring.internal.properties.PolicyProperties;
import io.retrysafe.spring.internal.startup.StartupException;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.accept.ApiVersionHolder;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * The annotated handlers of Spring MVC, each a route of its own. Which of them a request will reach
 * is asked of Spring's own mappings, before the dispatcher does.
 */
final class AnnotatedHandlers implements SmartInitializingSingleton {
  static final String FOUND = AnnotatedHandlers.class.getName() + ".found";
  private static final String VERSION = AnnotatedHandlers.class.getName() + ".version";

  private final HttpGuard guard;
  private final ObjectProvider<RequestMappingHandlerMapping> mappings;
  private final List<PolicyProperties.ConfiguredRoute> configured;
  private final HandlerChecks checks;
  private volatile List<RequestMappingHandlerMapping> used = List.of();
  private volatile Map<Method, Route> routes = Map.of();
  private volatile Set<Route> joined = Set.of();

  AnnotatedHandlers(
      HttpGuard guard,
      ObjectProvider<RequestMappingHandlerMapping> mappings,
      List<PolicyProperties.ConfiguredRoute> configured,
      HandlerChecks checks) {
    this.guard = guard;
    this.mappings = mappings;
    this.configured = configured;
    this.checks = checks;
  }

  static @Nullable Idempotent annotation(HandlerMethod handler) {
    Idempotent own =
        AnnotatedElementUtils.findMergedAnnotation(handler.getMethod(), Idempotent.class);
    return own == null
        ? AnnotatedElementUtils.findMergedAnnotation(handler.getBeanType(), Idempotent.class)
        : own;
  }

  @Override
  public void afterSingletonsInstantiated() {
    Map<Method, Route> found = new LinkedHashMap<>();
    List<Route> joining = new ArrayList<>();
    used = mappings.orderedStream().toList();
    for (RequestMappingHandlerMapping mapping : used) {
      mapping
          .getHandlerMethods()
          .forEach(
              (info, handler) -> {
                Idempotent annotation = annotation(handler);
                if (annotation != null) {
                  Route route = route(info, handler, annotation);
                  found.put(handler.getMethod(), route);
                  if (annotation.transaction() == Transaction.JOIN) {
                    checks.joinable(handler.getMethod());
                    joining.add(route);
                  }
                }
              });
    }
    for (int i = 0; i < configured.size(); i++) {
      if (configured.get(i).isJoined()) {
        joining.add(guard.routes().get(i));
      }
    }
    routes = Map.copyOf(found);
    joined = Set.copyOf(joining);
    checks.handlers(found.keySet(), !joining.isEmpty());
  }

  private Route route(RequestMappingInfo info, HandlerMethod handler, Idempotent annotation) {
    String where = "@Idempotent on " + handler.getShortLogMessage();
    if (!annotation.key().isEmpty()
        || !annotation.account().isEmpty()
        || !annotation.fingerprint().isEmpty()
        || !annotation.name().isEmpty()) {
      throw new StartupException(
          where + " has an expression, but the key of a handler comes with the request.",
          "Remove key, account, fingerprint and name there; a key from the body is"
              + " settings = \"key.from=/order/id\".");
    }
    boolean isJoined = annotation.transaction() == Transaction.JOIN;
    HttpPolicy base = isJoined ? PolicyProperties.joined() : HttpPolicy.create();
    HttpPolicy policy = PolicyProperties.of(base, annotation.settings(), where);
    try {
      return guard.route(name(info), policy);
    } catch (IllegalArgumentException e) {
      throw new StartupException(where + ": " + e.getMessage() + ".", "Correct its settings.", e);
    }
  }

  /** Returns a name of few values: methods and patterns, never a path that was asked for. */
  private static String name(RequestMappingInfo info) {
    String methods =
        info.getMethodsCondition().getMethods().stream()
            .map(Enum::name)
            .sorted()
            .collect(Collectors.joining(","));
    String patterns = String.join(",", new TreeSet<>(info.getPatternValues()));
    return (methods + " " + patterns).strip();
  }

  boolean isJoined(Route route) {
    return joined.contains(route);
  }

  /**
   * Returns the route of the handler that will get the request, if that is annotated, or the one
   * that properties have for its path. The request remembers it.
   */
  Optional<Route> find(HttpServletRequest request) {
    if (HttpGuard.alwaysPasses(request.getMethod())) {
      return Optional.empty();
    }
    Optional<Route> route =
        annotated(request)
            .or(() -> guard.match(request.getMethod(), RetrysafeFilter.path(request)));
    route.ifPresent(found -> request.setAttribute(FOUND, found));
    return route;
  }

  /** Returns the route that was found for the request. */
  static Optional<Route> found(HttpServletRequest request) {
    return request.getAttribute(FOUND) instanceof Route route
        ? Optional.of(route)
        : Optional.empty();
  }

  private Optional<Route> annotated(HttpServletRequest request) {
    if (routes.isEmpty()) {
      return Optional.empty();
    }
    HandlerLookupRequest lookup = new HandlerLookupRequest(request);
    try {
      ServletRequestPathUtils.parseAndCache(lookup);
      for (RequestMappingHandlerMapping mapping : used) {
        HandlerExecutionChain chain = mapping.getHandler(lookup);
        if (chain != null && chain.getHandler() instanceof HandlerMethod handler) {
          keepVersion(request, lookup);
          return Optional.ofNullable(routes.get(handler.getMethod()));
        }
      }
    } catch (Exception e) {
      // Spring MVC will find the same and say so; if not, UnguardedHandlerCheck refuses.
    }
    return Optional.empty();
  }

  private static void keepVersion(HttpServletRequest request, HandlerLookupRequest lookup) {
    if (lookup.getAttribute(HandlerMapping.API_VERSION_ATTRIBUTE) instanceof ApiVersionHolder holder
        && holder.hasVersion()) {
      request.setAttribute(VERSION, String.valueOf(holder.getVersion()));
    }
  }

  /** Returns the API version that Spring MVC found in the request. */
  static @Nullable String version(HttpServletRequest request) {
    return request.getAttribute(VERSION) instanceof String version ? version : null;
  }
}
