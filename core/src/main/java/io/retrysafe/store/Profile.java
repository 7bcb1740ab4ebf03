// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import java.time.Duration;
import java.util.List;

/**
 * What a store declares about itself.
 *
 * @param name what people call it, such as {@code PostgreSQL}
 * @param promise what it promises, in a sentence
 * @param conditions what has to hold for that
 * @param largestOutcome the most bytes an outcome may have in {@link OutcomeFormat}; the engine
 *     settles larger ones without their answer
 * @param unsettledRetention how long an unsettled entry lives past its lease
 * @param callTimeout how long after it was sent a call that got no answer may still be applied
 */
public record Profile(
    String name,
    String promise,
    List<String> conditions,
    int largestOutcome,
    Duration unsettledRetention,
    Duration callTimeout) {

  /** How long unsettled entries live past their lease by default: 30 days. */
  public static final Duration DEFAULT_UNSETTLED_RETENTION = Duration.ofDays(30);

  public Profile {
    conditions = List.copyOf(conditions);
  }
}
