// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.settings;

/** What becomes of an operation whose handler failed. */
public enum OnFailure {
  /** The failure is kept: retries get the same error, a new try needs a new key. */
  KEEP,
  /** The key is free again: a retry runs the handler again. */
  RELEASE,
  /** As release, and everything but 2xx and 3xx frees the key. */
  SUCCESS_ONLY,
  /** A retry goes on after the last remembered step. */
  RESUME,
  /** Nobody knows whether the effect happened: {@code recovery} decides what a retry does. */
  UNKNOWN
}
