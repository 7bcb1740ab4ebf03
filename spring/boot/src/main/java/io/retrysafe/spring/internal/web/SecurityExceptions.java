// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.web;

import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.core.AuthenticationException;

/** Exceptions that Spring Security's filter, which is before ours, turns into 401 or 403. */
final class SecurityExceptions {
  private static final int DEEPEST = 20;

  private SecurityExceptions() {}

  static boolean isOne(Throwable thrown) {
    Throwable cause = thrown;
    for (int i = 0; cause != null && i < DEEPEST; i++) {
      if (cause instanceof AccessDeniedException || cause instanceof AuthenticationException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
