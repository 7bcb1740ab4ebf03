// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import org.jspecify.annotations.Nullable;

/** A store call that did not answer its question. */
public abstract sealed class StoreException extends RuntimeException
    permits NoAnswerException, RefusedCallException {
  private static final long serialVersionUID = 1L;

  StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
