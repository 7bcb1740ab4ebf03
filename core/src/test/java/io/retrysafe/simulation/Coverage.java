// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Event;
import io.retrysafe.Event.Kind;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** How often the histories of a run came to the places that matter. A run that misses one fails. */
final class Coverage {
  /** A place that matters. */
  enum Place {
    CRASH,
    PAUSE_PAST_LEASE,
    OUTAGE,
    CLOSE,
    LOST_ANSWER,
    LATE_CALL,
    DOUBLED_CALL,
    REFUSED_CALL,
    CONTENDED,
    ZOMBIE_REJECTED,
    WAIT_WOKEN,
    WAIT_GIVEN_UP,
    COMPENSATION_RESUMED,
    LATE_ANSWER_AFTER_UNKNOWN,
    EXPIRED_SETTLED,
    UNAVAILABLE_AFTER_WORK,
    UNAVAILABLE_BEFORE_WORK,
    ANSWER_NOT_KEPT,
    LOST_CLAIM_TOLD
  }

  private final long[] places = new long[Place.values().length];
  private final long[] events = new long[Kind.values().length];

  // Nobody here makes fingerprints by two recipes.
  private static final Set<Kind> NOT_PLAYED = EnumSet.of(Kind.NOT_COMPARED);

  void reached(Place place) {
    places[place.ordinal()]++;
  }

  void on(Event event) {
    events[event.kind().ordinal()]++;
    if (event.kind() == Kind.COMPENSATED && event.attempt() > 1) {
      reached(Place.COMPENSATION_RESUMED);
    }
  }

  long count(Place place) {
    return places[place.ordinal()];
  }

  void add(Coverage other) {
    Arrays.setAll(places, i -> places[i] + other.places[i]);
    Arrays.setAll(events, i -> events[i] + other.events[i]);
  }

  /** Returns the places that were never reached. */
  List<String> missed() {
    List<String> missed =
        Arrays.stream(Place.values())
            .filter(place -> places[place.ordinal()] == 0)
            .map(Place::name)
            .collect(Collectors.toList());
    Arrays.stream(Kind.values())
        .filter(kind -> events[kind.ordinal()] == 0 && !NOT_PLAYED.contains(kind))
        .map(Kind::name)
        .forEach(missed::add);
    return missed;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Place place : Place.values()) {
      append(text, place.name(), places[place.ordinal()]);
    }
    for (Kind kind : Kind.values()) {
      append(text, "event " + kind.name(), events[kind.ordinal()]);
    }
    return text.toString();
  }

  private static void append(StringBuilder text, String name, long count) {
    text.append(
        String.format(
            Locale.ROOT, "%,12d %s%n", count, name.toLowerCase(Locale.ROOT).replace('_', ' ')));
  }
}
