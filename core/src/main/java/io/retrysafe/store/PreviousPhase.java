// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

/**
 * The phase of an entry before its present claim was granted. Releasing that claim as free restores
 * it.
 */
public enum PreviousPhase {
  /** There was no entry: this is its first claim. */
  ABSENT,
  /** Left to be continued. */
  RESUMABLE,
  /** Lapsed, or left as unknown: an earlier attempt may have had its effect. */
  UNKNOWN
}
