// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Release;

/** What became of an operation that its owner ended, and so what its caller is to be told. */
public sealed interface Ending {

  /** It is settled with this outcome, the owner's own. */
  record Recorded(Outcome outcome) implements Ending {}

  /** The claim was lost and the operation is settled by somebody else: this is its answer. */
  record Superseded(Outcome outcome) implements Ending {}

  /**
   * The claim was given up, or is being given up in the background where the store did not answer.
   */
  record Left(Release how) implements Ending {}

  /**
   * The claim was lost, and nothing is settled: the outcome is unknown. Also if the store was
   * silent and too much waits for it already.
   */
  record Lost() implements Ending {}
}
