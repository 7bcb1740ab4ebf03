// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import io.retrysafe.store.Release;

/** The result of ending an operation; it decides what the caller gets. */
public sealed interface Ending {

  /** The operation is settled with this outcome, which is the owner's own. */
  record Recorded(Outcome outcome) implements Ending {}

  /** The claim was lost and another attempt settled the operation: this is its answer. */
  record Superseded(Outcome outcome) implements Ending {}

  /**
   * The claim was released. If the store did not answer, the engine releases it in the background.
   */
  record Left(Release how) implements Ending {}

  /**
   * The claim was lost, and nothing is settled: the outcome is unknown. Also if the store did not
   * answer and too many writes are pending.
   */
  record Lost() implements Ending {}
}
