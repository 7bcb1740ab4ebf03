// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The operation is no longer the owner's: it was taken over. The work must stop. */
public final class ClaimLostException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  public ClaimLostException(OperationKey key) {
    super(key, "the claim on " + key + " was lost; stop, somebody else may be running it", null);
  }
}
