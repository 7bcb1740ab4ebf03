// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

/**
 * The part of an entry's state that a store keeps. Whether a running entry's lease lapsed is
 * computed, not stored.
 */
public enum Phase {
  /** Claimed; its owner may renew it. */
  RUNNING,
  /** Left by its owner to be continued by the next claim. */
  RESUMABLE,
  /** Left by its owner, which does not know whether the effect happened. */
  UNKNOWN,
  /** Has an outcome. */
  SETTLED
}
