// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Outcome;
import java.time.Duration;

/** A store that takes an operator's word, fenced by the entry that the operator saw. */
public interface Resolvable {

  /**
   * Applies {@code word} if the entry is still the one that was seen: same token, same fence, and
   * no standing lease. {@code token} names this word, so that it can be repeated; a settled entry
   * carries it, which keeps the old owner's late completion out.
   */
  Resolved resolve(Entry seen, Token token, Word word);

  /** What an operator knows. */
  sealed interface Word {

    /** The effect happened, with this outcome. Only for unsettled entries. */
    record Done(Outcome outcome, Duration retention) implements Word {}

    /**
     * The effect did not happen: the key is free. Only for unsettled entries; one with remembered
     * steps becomes resumable.
     */
    record NotDone() implements Word {}

    /**
     * The entry shall be forgotten, settled or not, with its steps: the next claim is the first.
     */
    record Forget() implements Word {}
  }

  /** What became of an operator's word. */
  enum Resolved {
    /** It was applied, now or by an earlier call with the same token. */
    APPLIED,
    /** A lease stands: somebody is running it. */
    LEASED,
    /** The entry is gone, settled or another one than was seen. */
    CHANGED
  }
}
