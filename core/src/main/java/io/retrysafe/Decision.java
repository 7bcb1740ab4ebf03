// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.time.Duration;

/** What the caller may do. Every decision but {@link Granted} has changed nothing. */
public sealed interface Decision {

  /** The operation is the caller's to run; it must be ended through its handle. */
  record Granted(Operation operation) implements Decision {}

  /** The operation is settled: this is its answer. */
  record Replay(Outcome outcome) implements Decision {}

  /** Another caller is running it; retry after {@code retryAfter}. */
  record InProgress(Duration retryAfter) implements Decision {}

  /** The key belongs to another request. */
  record Mismatch() implements Decision {}

  /**
   * An earlier attempt was interrupted, and its effect may have happened. The engine does not run
   * it again by itself.
   */
  record OutcomeUnknown() implements Decision {}
}
