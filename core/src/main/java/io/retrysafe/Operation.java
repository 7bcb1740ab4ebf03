// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The right to run an operation, held by its owner. It is renewed in the background until the owner
 * ends it, once, with {@link #complete}, {@link #fail}, {@link #release} or {@link #unknown}. Any
 * thread may end it.
 */
public interface Operation {

  OperationKey key();

  /** Returns which attempt this is, from 1. */
  int attempt();

  /**
   * Returns a number greater than that of every earlier attempt, for resources that refuse smaller
   * ones.
   */
  long fence();

  /**
   * Returns the idempotency key for a service that this operation calls: the same in every attempt,
   * another for every scope, key and {@code name}. A lower-case UUID of 36 characters.
   *
   * @throws IllegalArgumentException if the name is not well-formed Unicode
   */
  String downstreamKey(String name);

  /**
   * Returns whether the operation is still the owner's, as far as this process knows. If it is not,
   * the work should stop.
   */
  boolean isCurrent();

  /**
   * Runs a part of the operation once and remembers its result; a later attempt gets the result
   * instead of running it again. A crash before the result is stored repeats the step, so give the
   * service that it calls a {@linkplain #downstreamKey downstream key}. Each name may be used once
   * in an attempt.
   *
   * @throws ClaimLostException if the operation is no longer the owner's
   * @throws StoreUnavailableException if the step ran and could not be remembered
   */
  <T extends @Nullable Object, X extends Exception> T step(
      String name, Codec<T> codec, StepWork<T, X> work) throws X;

  /**
   * Runs a part of the operation as {@link #step(String, Codec, StepWork)} does. If the operation
   * fails for good later, {@code undo} is run, for the last step first.
   */
  <T extends @Nullable Object, X extends Exception> T step(
      String name, Codec<T> codec, StepWork<T, X> work, Compensation<T> undo) throws X;

  /**
   * Runs a part of the operation as {@link #step(String, Codec, StepWork)} does, but calls {@code
   * lookup} first if the step may have happened: in every attempt after the first, unless its
   * result is remembered. For services that support no {@linkplain #downstreamKey downstream keys}
   * but can be queried.
   *
   * @throws OutcomeUnknownException if the lookup cannot know; the operation is left unknown
   */
  <T, X extends Exception> T stepWithLookup(
      String name, Codec<T> codec, StepLookup<T> lookup, StepWork<T, X> work) throws X;

  /**
   * Runs a part of the operation as {@link #stepWithLookup(String, Codec, StepLookup, StepWork)}
   * does. If the operation fails for good later, {@code undo} is run, for the last step first; also
   * for a step that the lookup found.
   */
  <T, X extends Exception> T stepWithLookup(
      String name, Codec<T> codec, StepLookup<T> lookup, StepWork<T, X> work, Compensation<T> undo)
      throws X;

  /**
   * Settles the operation. Returns once the store has recorded the outcome. Also allowed after
   * {@link #unknown}, until another attempt takes the operation over.
   *
   * @throws StoreUnavailableException if the store does not answer in time; recording goes on in
   *     the background
   */
  Ending complete(Outcome outcome);

  /**
   * Settles the operation as {@link #complete} does, without blocking the event loop. The stage
   * completes in the calling thread before this returns, or in the loop; it cannot be cancelled.
   */
  CompletionStage<Ending> completeAsync(Outcome outcome, EventLoop loop);

  /**
   * Makes {@code own} settle the operation's result instead of the store, so that effect and
   * completion are one transaction. The store still records failures.
   */
  void settleWith(SettlingTransaction own);

  /**
   * Ends the operation as failed: what that means is the policy's {@link Policy#failures}. If this
   * attempt did not reach all steps that earlier attempts remembered, they cannot be undone yet:
   * the operation is left as it was, for a retry. Adapters call {@link #isUnknownAfter} first.
   */
  Ending fail(Outcome failure);

  /** Ends the operation as {@link #fail} does, in the way of {@link #completeAsync}. */
  CompletionStage<Ending> failAsync(Outcome failure, EventLoop loop);

  /**
   * Returns whether the effect may have happened in spite of this failure of the work. If so, an
   * adapter ends the operation with {@link #unknown} instead of {@link #fail}. Returns false in a
   * transaction that settles the operation, and while steps are being undone.
   *
   * @param thrown what the work threw; null if it said in another way that it failed
   */
  boolean isUnknownAfter(@Nullable Throwable thrown);

  /**
   * Ends the operation as rejected before it had any effect. The key is free again, unless an
   * earlier attempt may have had an effect or steps are remembered.
   */
  Ending release();

  /** Ends the operation as {@link #release} does, in the way of {@link #completeAsync}. */
  CompletionStage<Ending> releaseAsync(EventLoop loop);

  /**
   * Ends the operation without knowing whether it had its effect; the policy's recovery decides
   * what follows.
   */
  Ending unknown();

  /** Ends the operation as {@link #unknown} does, in the way of {@link #completeAsync}. */
  CompletionStage<Ending> unknownAsync(EventLoop loop);
}
