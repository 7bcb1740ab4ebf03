// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import org.jspecify.annotations.Nullable;

/** The work of a step. */
@FunctionalInterface
public interface StepWork<T extends @Nullable Object, X extends Exception> {
  T run() throws X;
}
