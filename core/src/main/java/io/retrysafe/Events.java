// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Tells the listeners and the history; costs nothing when there are none. */
final class Events {
  private static final Logger LOG = System.getLogger("io.retrysafe");

  private final List<Listener> listeners;
  private final @Nullable Recorder recorder;

  Events(List<Listener> listeners, @Nullable Recorder recorder) {
    this.listeners = List.copyOf(listeners);
    this.recorder = recorder;
  }

  void emit(Event.Kind kind, OperationKey key, int attempt) {
    emit(kind, key, attempt, "");
  }

  void emit(Event.Kind kind, OperationKey key, int attempt, Object detail) {
    if (listeners.isEmpty() && recorder == null) {
      return;
    }
    Event event = new Event(kind, key, attempt, detail.toString());
    if (recorder != null) {
      recorder.note(event);
    }
    for (Listener listener : listeners) {
      try {
        listener.on(event);
      } catch (RuntimeException e) {
        LOG.log(Level.WARNING, "a listener failed on " + kind + " of " + key, e);
      }
    }
  }

  /** Writes what the history has not got yet, for at most about {@code deadline}. */
  void finish(Duration deadline) {
    if (recorder != null) {
      recorder.finish(deadline);
    }
  }
}
