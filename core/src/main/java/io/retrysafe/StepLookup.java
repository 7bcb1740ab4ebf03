// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.Optional;

/** Finds out whether a step of an operation happened in an earlier attempt. */
@FunctionalInterface
public interface StepLookup<T> {

  /**
   * Returns the step's result if it happened. Empty means that it did not happen and never will by
   * the earlier attempt: the step is run. An exception means that the lookup cannot know: the step
   * is not run, and the operation is left unknown.
   */
  Optional<T> find() throws Exception;
}
