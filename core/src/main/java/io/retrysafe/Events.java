// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/** Tells the listeners; costs nothing when there are none. */
final class Events {
  private static final Logger LOG = System.getLogger("io.retrysafe");

  private final List<Listener> listeners;

  Events(List<Listener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  void emit(Event.Kind kind, OperationKey key, int attempt) {
    emit(kind, key, attempt, "");
  }

  void emit(Event.Kind kind, OperationKey key, int attempt, Object detail) {
    if (listeners.isEmpty()) {
      return;
    }
    Event event = new Event(kind, key, attempt, detail.toString());
    for (Listener listener : listeners) {
      try {
        listener.on(event);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a listener failed on " + kind + " of " + key, e);
      }
    }
  }
}
