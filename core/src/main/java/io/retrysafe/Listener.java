// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.time.Duration;

/**
 * Is told everything that happens, in the thread in which it happens: be quick, never call the
 * engine. What it throws is logged and changes nothing.
 */
@FunctionalInterface
public interface Listener {
  void on(Event event);

  /**
   * Is told that the store stopped answering, or refuses writes: once in an outage, however many
   * calls fail.
   *
   * @param description what the store does not do, and the cause
   */
  default void onOutage(String description) {}

  /**
   * Is told that an outage is over.
   *
   * @param description what the store does again
   * @param lasted how long it did not
   */
  default void onOutageEnd(String description, Duration lasted) {}
}
