// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * An event loop that begins and ends operations, and must not be held while the store is asked.
 *
 * @param itself where what follows an answer is done; it takes microseconds
 * @param blocking where anything is done that may wait
 * @param mayWait asked once before a caller waits for a running duplicate or for a lookup; if it
 *     says no, the decision is cancelled
 */
public record EventLoop(Executor itself, Executor blocking, BooleanSupplier mayWait) {

  /** A loop whose callers may wait as their policies say. */
  public EventLoop(Executor itself, Executor blocking) {
    this(itself, blocking, () -> true);
  }

  /** Returns this loop with another bound on waiting. */
  public EventLoop mayWait(BooleanSupplier mayWait) {
    return new EventLoop(itself, blocking, mayWait);
  }
}
