// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Decides whether a caller may still see a recorded answer. It is asked before every replay, also
 * of an answer that was not kept; the handler, and whatever it would have checked, does not run
 * then.
 */
@FunctionalInterface
public interface ReplayCheck {

  /**
   * Returns nothing if the answer may be sent, or what is sent instead: {@link Replay#refused}, or
   * an answer of the check's own, which is passed on as it is.
   *
   * <p>{@link HttpGuard#begin} asks in its caller's thread and waits; {@link HttpGuard#beginAsync}
   * asks in the thread that found the answer, so there a check that takes time goes on elsewhere.
   * If the stage fails, the caller gets 503 and may try again. If the check throws, the guard
   * throws the same exception. Nothing is replayed in either case.
   */
  CompletionStage<Optional<Answer>> check(Replay replay);
}
