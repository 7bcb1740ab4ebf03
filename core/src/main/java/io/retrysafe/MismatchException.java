// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The key was used before, for another request. Use a new key for a new operation. */
public final class MismatchException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  public MismatchException(OperationKey key) {
    super(key, key + " belongs to another request; use a new key for a new operation", null);
  }
}
