// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.examples.saga;

/** The carrier refused, and sent nothing. */
final class CannotShipException extends Exception {
  private static final long serialVersionUID = 1L;

  CannotShipException(String message) {
    super(message);
  }
}
