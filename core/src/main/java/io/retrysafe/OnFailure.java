// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** What becomes of an operation that failed. */
public enum OnFailure {
  /** The failure is kept: retries get the same error, a new try needs a new key. */
  KEEP,
  /**
   * The key is freed: a retry runs again. With remembered steps it goes on after the last of them.
   */
  RELEASE,
  /** A retry goes on after the last remembered step. */
  RESUME,
  /** Nobody knows whether the effect happened: the policy's recovery decides what a retry does. */
  UNKNOWN
}
