// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

/** A key that names several operations where one is needed. */
final class AmbiguousKeyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  AmbiguousKeyException(String message) {
    super(message);
  }
}
