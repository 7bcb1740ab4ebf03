// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import org.jspecify.annotations.Nullable;

/** The work of an operation. */
@FunctionalInterface
public interface Work<T extends @Nullable Object, X extends Exception> {

  /**
   * Does the work. It may end the operation itself, with {@link Operation#release()} when it
   * refuses before any effect or {@link Operation#unknown()} when it cannot tell, and then return
   * or throw what its caller shall get.
   */
  T run(Operation operation) throws X;
}
