// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import io.retrysafe.http.HttpGuard;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * A check that fails requests whose annotated handler the filter did not find: after a forward, or
 * because another filter changed the request. The handler must not run unprotected.
 */
final class UnguardedHandlerCheck implements HandlerInterceptor {

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    if (handler instanceof HandlerMethod method
        && !HttpGuard.alwaysPasses(request.getMethod())
        && request.getAttribute(AnnotatedHandlers.FOUND) == null
        && AnnotatedHandlers.annotation(method) != null) {
      throw new IllegalStateException(
          method.getShortLogMessage()
              + " is @Idempotent, but the Retrysafe filter did not find it for "
              + request.getMethod()
              + " "
              + request.getRequestURI()
              + "; it cannot be reached by a forward, by parameters of a form, or after a filter"
              + " that changes method or path");
    }
    return true;
  }
}
