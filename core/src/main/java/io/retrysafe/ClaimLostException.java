// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The owner lost the operation: another attempt took it over. The work must stop. */
public final class ClaimLostException extends RetrysafeException {
  private static final long serialVersionUID = 1L;

  public ClaimLostException(OperationKey key) {
    super(key, "the claim on " + key + " was lost; stop, another attempt may be running it", null);
  }
}
