// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * Says who calls, where that is not the name of the user principal: a tenant or merchant, for
 * example. A bean of this type is used instead.
 */
@FunctionalInterface
public interface AccountResolver {

  /**
   * Returns the caller as the server knows it, never by the client's word alone and not by a
   * credential that rotates; null for nobody.
   */
  @Nullable String account(HttpServletRequest request);
}
