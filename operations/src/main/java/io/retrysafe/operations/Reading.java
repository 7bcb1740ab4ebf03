// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import java.util.function.Supplier;

/**
 * Reads from a store. Reports data that cannot be decoded, such as a later release's, as that and
 * not as a wrong request.
 */
final class Reading {
  private Reading() {}

  static <T> T of(Supplier<T> call) {
    try {
      return call.get();
    } catch (IllegalArgumentException e) {
      throw RefusedException.unreadable(e.getMessage(), e);
    }
  }
}
