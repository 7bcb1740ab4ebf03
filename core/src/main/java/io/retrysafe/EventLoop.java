// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * An event loop that begins and ends operations. The engine never blocks it.
 *
 * @param itself runs the continuations of store calls, which take microseconds
 * @param blocking runs everything that may block
 * @param mayWait called once before a caller waits for a running duplicate or for a lookup; if it
 *     returns false, the decision is cancelled
 */
public record EventLoop(Executor itself, Executor blocking, BooleanSupplier mayWait) {

  /** A loop whose callers may wait as long as their policies allow. */
  public EventLoop(Executor itself, Executor blocking) {
    this(itself, blocking, () -> true);
  }

  /** Returns this loop with another bound on waiting. */
  public EventLoop mayWait(BooleanSupplier mayWait) {
    return new EventLoop(itself, blocking, mayWait);
  }
}
