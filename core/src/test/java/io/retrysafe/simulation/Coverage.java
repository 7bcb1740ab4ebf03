// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.simulation;

import io.retrysafe.Event;
import io.retrysafe.Event.Kind;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    FOUND_LATER,
    COMPENSATION_RESUMED,
    LATE_ANSWER_AFTER_UNKNOWN,
    EXPIRED_SETTLED,
    UNAVAILABLE_AFTER_WORK,
    UNAVAILABLE_BEFORE_WORK,
    ANSWER_NOT_KEPT,
    LOST_CLAIM_TOLD,
    HEART_CHECKED,
    STORE_ERROR,
    PENDING_RECORDED,
    OUTAGE_REPORTED,
    QUEUED_CALL,
    QUEUED_ANSWER_AFTER_DEADLINE
  }

  private final Map<Place, Long> places = new EnumMap<>(Place.class);
  private final Map<Kind, Long> events = new EnumMap<>(Kind.class);

  // All fingerprints have one recipe, and the operator settles or frees operations only.
  private static final Set<Kind> NOT_PLAYED = EnumSet.of(Kind.NOT_COMPARED, Kind.FORGOTTEN);

  void reached(Place place) {
    places.merge(place, 1L, Long::sum);
  }

  void on(Event event) {
    events.merge(event.kind(), 1L, Long::sum);
    if (event.kind() == Kind.COMPENSATED && event.attempt() > 1) {
      reached(Place.COMPENSATION_RESUMED);
    }
  }

  void add(Coverage other) {
    other.places.forEach((place, count) -> places.merge(place, count, Long::sum));
    other.events.forEach((kind, count) -> events.merge(kind, count, Long::sum));
  }

  /** Returns the places that were never reached. */
  List<String> missed() {
    List<String> missed =
        Arrays.stream(Place.values())
            .filter(place -> !places.containsKey(place))
            .map(Place::name)
            .collect(Collectors.toList());
    Arrays.stream(Kind.values())
        .filter(kind -> !events.containsKey(kind) && !NOT_PLAYED.contains(kind))
        .map(Kind::name)
        .forEach(missed::add);
    return missed;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Place place : Place.values()) {
      append(text, place.name(), places.getOrDefault(place, 0L));
    }
    for (Kind kind : Kind.values()) {
      append(text, "event " + kind.name(), events.getOrDefault(kind, 0L));
    }
    return text.toString();
  }

  private static void append(StringBuilder text, String name, long count) {
    text.append(
        String.format(
            Locale.ROOT, "%,12d %s%n", count, name.toLowerCase(Locale.ROOT).replace('_', ' ')));
  }
}
