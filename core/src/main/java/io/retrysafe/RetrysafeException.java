// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import org.jspecify.annotations.Nullable;

/** The reason that a caller got no result. */
public abstract sealed class RetrysafeException extends RuntimeException
    permits InProgressException,
        MismatchException,
        OutcomeUnknownException,
        OperationFailedException,
        AnswerNotKeptException,
        ClaimLostException,
        StoreUnavailableException {
  private static final long serialVersionUID = 1L;

  private final transient @Nullable OperationKey key;

  RetrysafeException(OperationKey key, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.key = key;
  }

  /** Returns the operation; null only in an exception that came through Java serialization. */
  public @Nullable OperationKey key() {
    return key;
  }
}
