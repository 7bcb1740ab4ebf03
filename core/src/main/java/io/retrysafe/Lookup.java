// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/** Asks the world whether an operation whose outcome is unknown had its effect. */
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

  /** Nobody knows yet: the operation stays as it is. */
  record CannotTell() implements Finding {}
}
