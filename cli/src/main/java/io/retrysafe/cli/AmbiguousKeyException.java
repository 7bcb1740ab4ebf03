// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.cli;

/** Thrown if several operations have the key that was given. */
final class AmbiguousKeyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  AmbiguousKeyException(String message) {
    super(message);
  }
}
