// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.CompletionStage;

/** Finds out whether an operation whose outcome is unknown had its effect. */
@FunctionalInterface
public interface Lookup {

  /**
   * Returns what is known of the operation, which the caller owns while this runs. An exception
   * means {@link CannotTell}.
   */
  Finding find(Operation operation) throws Exception;

  /** What a lookup found out. */
  sealed interface Finding {}

  /** The effect happened: the operation is completed with this outcome. */
  record Happened(Outcome outcome) implements Finding {}

  /** The effect did not happen and never will by the earlier attempt: the operation runs again. */
  record DidNotHappen() implements Finding {}

  /** The lookup cannot know yet: the operation stays as it is. */
  record CannotTell() implements Finding {}

  /**
   * The answer is on its way; meanwhile the caller owns the operation, and {@link
   * Retrysafe#beginAsync} holds no thread. A stage that fails, or ends in another of these, means
   * {@link CannotTell}; one that never ends holds the operation until its {@code maxRunning}, so it
   * should have a bound. The store is asked in the thread that completes it.
   */
  record Later(CompletionStage<Finding> finding) implements Finding {}
}
