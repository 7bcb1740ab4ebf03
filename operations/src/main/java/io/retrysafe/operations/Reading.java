// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.operations.RefusedException.Reason;
import java.util.function.Supplier;

/**
 * Reading from a store. What it holds and nobody can decode, such as what a later release wrote, is
 * told as that, and not as a wrong question.
 */
final class Reading {
  private Reading() {}

  static <T> T of(Supplier<T> call) {
    try {
      return call.get();
    } catch (IllegalArgumentException e) {
      throw new RefusedException(
          Reason.UNREADABLE,
          "The store holds something that this release cannot read: " + e.getMessage(),
          e);
    }
  }
}
