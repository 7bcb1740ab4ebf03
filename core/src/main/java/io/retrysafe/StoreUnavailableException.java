// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The store did not answer in time, or refused. Retry with the same key. */
public final class StoreUnavailableException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  private final boolean workRan;

  public StoreUnavailableException(OperationKey key, boolean workRan, Throwable cause) {
    super(
        key,
        workRan
            ? "the work of " + key + " ran, its record is pending; retry with the same key"
            : "the store is unavailable, " + key + " did not run; retry with the same key",
        cause);
    this.workRan = workRan;
  }

  /** Returns whether the work ran. If so, recording it goes on in the background. */
  public boolean workRan() {
    return workRan;
  }
}
