// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

/** A store that applies an operator's resolution, fenced by the entry that the operator saw. */
public interface Resolvable {

  /**
   * Applies {@code resolution} if the entry is still the one that the operator saw: same token,
   * same fence, and no lease that holds. {@code token} identifies this call, so that it can be
   * repeated; a settled entry carries it, which rejects the old owner's late completion.
   */
  Resolved resolve(Entry seen, Token token, Resolution resolution);

  /** The result of a resolution. */
  enum Resolved {
    /** The store applied it, now or in an earlier call with the same token. */
    APPLIED,
    /** The entry has a lease that holds: its owner is running it. */
    LEASED,
    /** The entry is gone, settled, or not the one that the operator saw. */
    CHANGED
  }
}
