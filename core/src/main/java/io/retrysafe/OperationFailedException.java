// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/**
 * The operation failed before, for good: this is what it failed with. A new try needs a new key.
 */
public final class OperationFailedException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  private final String type;

  public OperationFailedException(OperationKey key, String type, String message) {
    super(key, key + " failed with " + type + ": " + message, null);
    this.type = type;
  }

  /** Returns the class name of the exception that the work threw. */
  public String type() {
    return type;
  }
}
