// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

/**
 * Is told everything that happens, in the thread in which it happens: be quick, never call the
 * engine. What it throws is logged and changes nothing.
 */
@FunctionalInterface
public interface Listener {
  void on(Event event);
}
