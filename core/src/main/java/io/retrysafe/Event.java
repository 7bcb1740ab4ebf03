// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/**
 * Something that happened to an operation.
 *
 * @param kind what happened
 * @param key to which operation
 * @param attempt in which attempt; 0 where that is not known
 * @param detail a short text for people, may be empty; never a body or a secret
 */
public record Event(Kind kind, OperationKey key, int attempt, String detail) {

  /** What can happen. */
  public enum Kind {
    /** A first claim was granted. */
    CLAIMED,
    /** A resumable, lapsed or unknown operation was claimed again. */
    TAKEN_OVER,
    /** A settled operation answered a retry. */
    REPLAYED,
    /** A duplicate got "in progress". */
    CONFLICT,
    /** Another request came under the same key. */
    MISMATCH,
    /** The fingerprints were made by different recipes, so the requests were not compared. */
    NOT_COMPARED,
    /** A caller got "outcome unknown". */
    PARKED,
    /** A step was remembered. */
    STEP,
    /** A step was undone, because a later one failed for good. */
    COMPENSATED,
    /**
     * A step could not be undone; the operation is left resumable, and the next attempt goes on
     * undoing.
     */
    COMPENSATION_FAILED,
    /** The operation was settled by its owner. */
    COMPLETED,
    /** The owner gave the operation up as free, resumable or unknown. */
    RELEASED,
    /** The owner learned that the operation is no longer its own. */
    LOST_CLAIM,
    /** The work runs longer than {@code maxRunning}; its lease is no longer renewed. */
    OVERRUN,
    /** A lookup found out whether an unknown operation had its effect. */
    RECONCILED,
    /** An operator resolved an operation. */
    RESOLVED,
    /** An operator made the store forget an operation. */
    FORGOTTEN,
    /** The store did not answer, or refused. */
    UNAVAILABLE,
    /**
     * The store did not answer and too many writes are pending: an outcome, an answer or a release
     * was dropped.
     */
    DROPPED,
    /** An operation ended without ever having been settled. */
    EXPIRED_UNSETTLED
  }
}
