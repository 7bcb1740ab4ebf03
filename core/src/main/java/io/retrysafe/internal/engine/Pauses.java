// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import java.time.Duration;

/** Growing pauses between two questions. */
final class Pauses {
  private Pauses() {}

  static Duration longer(Duration pause, Duration longest) {
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(longest) < 0 ? doubled : longest;
  }

  /**
   * Returns half to all of {@code pause}, so that many who were refused at once do not come back at
   * once.
   */
  static Duration spread(Duration pause, EngineRuntime runtime) {
    return Duration.ofNanos((long) (pause.toNanos() * (0.5 + runtime.random() / 2)));
  }
}
