// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** The effect of a failure on its operation. */
public enum OnFailure {
  /** The failure is kept: retries get the same error, a new try needs a new key. */
  KEEP,
  /**
   * The key is freed: a retry runs again. With remembered steps it goes on after the last of them.
   */
  RELEASE,
  /** A retry goes on after the last remembered step. */
  RESUME,
  /**
   * The outcome is unknown: the effect may have happened, and the policy's recovery decides what a
   * retry does.
   */
  UNKNOWN
}
