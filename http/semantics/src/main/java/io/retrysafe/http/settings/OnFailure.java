// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

/** How a failed handler ends its operation. */
public enum OnFailure {
  /** The failure is kept: retries get the same error, a new try needs a new key. */
  KEEP,
  /** The key is free again: a retry runs the handler again. */
  RELEASE,
  /** As release, and everything but 2xx and 3xx frees the key. */
  SUCCESS_ONLY,
  /** A retry goes on after the last remembered step. */
  RESUME,
  /** The outcome is unknown: {@code recovery} decides what a retry does. */
  UNKNOWN
}
