// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

/**
 * What an entry was before its present claim was granted. Releasing that claim as free leads back
 * there.
 */
public enum PreviousPhase {
  /** There was no entry: this is its first claim. */
  ABSENT,
  /** Left to be continued. */
  RESUMABLE,
  /** Lapsed, or left as unknown: an earlier attempt may have had its effect. */
  UNKNOWN
}
