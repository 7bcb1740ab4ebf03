// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.time.Duration;

/** Another caller is running the operation. */
public final class InProgressException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  private final Duration retryAfter;

  public InProgressException(OperationKey key, Duration retryAfter) {
    super(key, key + " is in progress; retry in " + retryAfter.toMillis() + " ms", null);
    this.retryAfter = retryAfter;
  }

  /** Returns how long to wait before the next try. */
  public Duration retryAfter() {
    return retryAfter;
  }
}
