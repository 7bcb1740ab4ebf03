// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Outcome;
import java.time.Duration;

/** An operator's decision on an operation. */
public sealed interface Resolution {

  /** The effect happened, with this outcome. Only for unsettled entries. */
  record Done(Outcome outcome, Duration retention) implements Resolution {}

  /**
   * The effect did not happen: the key is free. Only for unsettled entries; an entry with
   * remembered steps becomes resumable.
   */
  record NotDone() implements Resolution {}

  /**
   * The store forgets the entry, settled or not, with its steps: the next claim is the first one.
   */
  record Forget() implements Resolution {}
}
