// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import org.jspecify.annotations.Nullable;

/** Nobody knows whether the operation had its effect. It is not run again by itself. */
public final class OutcomeUnknownException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  public OutcomeUnknownException(OperationKey key, @Nullable Throwable cause) {
    super(key, "the outcome of " + key + " is unknown; it stays so until it is resolved", cause);
  }
}
