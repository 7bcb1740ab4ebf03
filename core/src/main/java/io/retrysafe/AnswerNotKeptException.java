// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The operation was done, but its answer was too large to keep, or could not be kept. */
public final class AnswerNotKeptException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  public AnswerNotKeptException(OperationKey key, int status) {
    super(key, key + " is done, but its answer was not kept", null);
    this.status = status;
  }

  /** Returns the status of the answer. */
  public int status() {
    return status;
  }
}
