// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

/** Thrown for a body that is not JSON or exceeds a bound; the message says where, never what. */
public final class MalformedJsonException extends Exception {
  private static final long serialVersionUID = 1L;

  MalformedJsonException(String message) {
    super(message);
  }
}
