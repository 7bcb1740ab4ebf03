// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer: the call may or may not have been applied. Repeating it is always safe.
 */
public final class NoAnswerException extends StoreException {
  private static final long serialVersionUID = 1L;

  public NoAnswerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
