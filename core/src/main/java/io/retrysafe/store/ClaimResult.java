// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Bytes;
import java.util.Map;

/** A store's answer to a claim. */
public sealed interface ClaimResult {

  /**
   * The operation is the caller's to run.
   *
   * @param attempt 1 for the first claim of the entry
   * @param fence a number greater than that of every earlier grant of the key
   * @param previous what the entry was before this claim
   * @param steps what earlier attempts remembered, by name
   */
  record Granted(int attempt, long fence, PreviousPhase previous, Map<String, Bytes> steps)
      implements ClaimResult {
    public Granted {
      steps = Map.copyOf(steps);
    }
  }

  /** Another claim holds the operation, or settled it: this is its entry. */
  record Held(Entry entry) implements ClaimResult {}

  /**
   * There is no entry to show, and nothing was granted: an open transaction is deciding the key, or
   * the claim arrives late, after its own token was released as free.
   */
  record Contended() implements ClaimResult {}
}
