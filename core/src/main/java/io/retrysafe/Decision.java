// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.time.Duration;

/** What a caller may do now. Every decision but {@link Granted} has changed nothing. */
public sealed interface Decision {

  /** The operation is the caller's to run; it must be ended through its handle. */
  record Granted(Operation operation) implements Decision {}

  /** The operation is settled: this is its answer. */
  record Replay(Outcome outcome) implements Decision {}

  /** Somebody is running it; ask again after {@code retryAfter}. */
  record InProgress(Duration retryAfter) implements Decision {}

  /** The key belongs to another request. */
  record Mismatch() implements Decision {}

  /**
   * The owner went away and nobody knows whether the effect happened. It is not run again by
   * itself.
   */
  record OutcomeUnknown() implements Decision {}
}
