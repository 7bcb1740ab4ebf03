// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.actuator;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.retrysafe.Event;
import io.retrysafe.Listener;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code retrysafe.events}, counted by kind: claimed, replayed, conflict, unavailable and so on.
 * Never by key, scope or account.
 */
final class EventCounters implements Listener {
  private final Supplier<@Nullable MeterRegistry> registry;
  private final Map<Event.Kind, Counter> counters = new ConcurrentHashMap<>();

  EventCounters(Supplier<@Nullable MeterRegistry> registry) {
    this.registry = registry;
  }

  @Override
  public void on(Event event) {
    Counter counter = counters.get(event.kind());
    if (counter == null) {
      counter = counter(event.kind());
    }
    if (counter != null) {
      counter.increment();
    }
  }

  private @Nullable Counter counter(Event.Kind kind) {
    MeterRegistry found = registry.get();
    return found == null
        ? null
        : counters.computeIfAbsent(
            kind,
            each ->
                Counter.builder("retrysafe.events")
                    .description("What happened to operations")
                    .tag("kind", each.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                    .register(found));
  }
}
