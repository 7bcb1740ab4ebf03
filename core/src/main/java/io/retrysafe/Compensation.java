// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import org.jspecify.annotations.Nullable;

/**
 * Undoes a step when a later one failed for good. It may be repeated after a crash: give the
 * services that it calls a {@linkplain Operation#downstreamKey downstream key}.
 */
@FunctionalInterface
public interface Compensation<T extends @Nullable Object> {
  void undo(T result) throws Exception;
}
