// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

/**
 * What a store holds of an entry's state. Whether a running entry's lease lapsed is computed, not
 * stored.
 */
public enum Phase {
  /** Claimed; its owner may renew it. */
  RUNNING,
  /** Left by its owner to be continued by the next claim. */
  RESUMABLE,
  /** Left by its owner, who does not know whether the effect happened. */
  UNKNOWN,
  /** Has an outcome. */
  SETTLED
}
