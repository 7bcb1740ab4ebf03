// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.time.Duration;

/**
 * Receives the events of an engine, in the thread in which they happen. It must return quickly and
 * must not call the engine. The engine logs its exceptions and goes on.
 */
@FunctionalInterface
public interface Listener {
  void on(Event event);

  /**
   * Reports that the store stopped answering or refuses writes. Called once for each outage,
   * however many calls fail.
   *
   * @param description what the store does not do, and the cause
   */
  default void onOutage(String description) {}

  /**
   * Reports that an outage is over.
   *
   * @param description what the store does again
   * @param lasted how long it did not
   */
  default void onOutageEnd(String description, Duration lasted) {}
}
