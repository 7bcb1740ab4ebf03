// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.memory;

import org.jspecify.annotations.Nullable;

/** Carries a result out of an atomic step. */
final class StepAnswer<T> {
  @Nullable T value;

  T get() {
    if (value == null) {
      throw new IllegalStateException("the step gave no answer");
    }
    return value;
  }
}
