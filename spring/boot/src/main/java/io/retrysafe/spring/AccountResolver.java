// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/**
 * The account of a request, if that is not the name of the user principal: a tenant or merchant,
 * for example. Retrysafe uses a bean of this type.
 */
@FunctionalInterface
public interface AccountResolver {

  /**
   * Returns the account as the server verified it, not a credential that rotates; null if the
   * caller has no identity.
   */
  @Nullable String account(HttpServletRequest request);
}
