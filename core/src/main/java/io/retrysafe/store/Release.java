// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

/** The state of an entry after its release. */
public enum Release {
  /**
   * As it was before the claim, because this attempt had no effect: absent after a first claim, or
   * resumable if that remembered steps; otherwise resumable or unknown again.
   */
  FREE,
  /** To be continued by the next claim. */
  RESUMABLE,
  /** Its lease ends now, and the effect may have happened. */
  UNKNOWN
}
