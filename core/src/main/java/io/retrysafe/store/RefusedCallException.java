// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import org.jspecify.annotations.Nullable;

/** The store refused the call and nothing was changed: it is full, read-only or not set up. */
public final class RefusedCallException extends StoreException {
  private static final long serialVersionUID = 1L;

  public RefusedCallException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
