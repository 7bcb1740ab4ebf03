// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal.engine;

import io.retrysafe.Event;
import io.retrysafe.Listener;
import io.retrysafe.OperationKey;
import io.retrysafe.internal.DurationText;
import io.retrysafe.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Passes events to the listeners and the history; costs nothing if there are none. */
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
    tell(() -> kind + " of " + key, listener -> listener.on(event));
  }

  /** Reports that an outage began. */
  void outageBegan(String what, Throwable cause) {
    String description = "the store " + what + ": " + message(cause);
    LOG.log(Level.WARNING, description);
    tell(() -> "an outage", listener -> listener.onOutage(description));
  }

  /** Reports that an outage is over. */
  void outageEnded(String what, Duration lasted) {
    String description = "the store " + what;
    LOG.log(Level.INFO, description + " after " + DurationText.rounded(lasted));
    tell(() -> "the end of an outage", listener -> listener.onOutageEnd(description, lasted));
  }

  private static String message(Throwable cause) {
    return cause instanceof StoreException && cause.getMessage() != null
        ? cause.getMessage()
        : cause.toString();
  }

  private void tell(Supplier<String> what, Consumer<Listener> telling) {
    for (Listener listener : listeners) {
      try {
        telling.accept(listener);
      } catch (Throwable e) {
        LOG.log(Level.WARNING, "a listener failed on " + what.get(), e);
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
