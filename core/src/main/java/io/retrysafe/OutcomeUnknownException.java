// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import org.jspecify.annotations.Nullable;

/** The operation may or may not have had its effect. The engine does not run it again by itself. */
public final class OutcomeUnknownException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  public OutcomeUnknownException(OperationKey key, @Nullable Throwable cause) {
    super(key, "the outcome of " + key + " is unknown; an operator has to resolve it", cause);
  }
}
