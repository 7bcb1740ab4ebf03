// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.Replay;
import jakarta.servlet.http.HttpServletRequest;

/**
 * Decides whether a caller may still see a recorded answer. Asked before every replay, in the
 * request's thread: the handler does not run then, nor whatever checks would be made inside it.
 */
@FunctionalInterface
public interface ReplayAuthorizer {

  /**
   * Returns whether the answer may be sent; otherwise the caller gets 403 {@code replay-refused}.
   * What it throws goes up the filter chain.
   */
  boolean mayReplay(HttpServletRequest request, Replay replay);
}
