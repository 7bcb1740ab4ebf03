// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads YAML into values that know their place. Every scalar stays the text it is, so that no
 * setting changes its type by the way it is written. What a configuration does not need is refused:
 * anchors, tags, further documents, names twice, names without a value, and depth.
 */
final class Yaml {
  private static final int DEEPEST = 10;
  private static final int LONGEST = 1 << 20;
  private static final Set<String> NOTHING = Set.of("", "~", "null", "Null", "NULL");

  private final Function<Optional<Mark>, Place> places;
  private final Iterator<Event> events;

  private Yaml(Function<Optional<Mark>, Place> places, String text) {
    this.places = places;
    LoadSettings settings =
        LoadSettings.builder().setUseMarks(true).setCodePointLimit(LONGEST).build();
    this.events = new Parse(settings).parseString(text).iterator();
  }

  /** Reads a file, which is a map or empty. */
  static Value.Members file(String name, String text) {
    Function<Optional<Mark>, Place> places =
        mark ->
            mark.map(at -> new Place(name, at.getLine() + 1, at.getColumn() + 1))
                .orElseGet(() -> Place.of(name));
    Value value = read(places, text);
    if (value instanceof Value.Members members) {
      return members;
    }
    throw value.place().error("a configuration is a map of settings, such as upstreams: …");
  }

  /** Reads what a flag or an environment variable says: text, or a list or map as in a file. */
  static Value inline(Place place, String text) {
    String stripped = text.strip();
    return stripped.startsWith("{") || stripped.startsWith("[")
        ? read(mark -> place, stripped)
        : new Value.Text(place, stripped);
  }

  private static Value read(Function<Optional<Mark>, Place> places, String text) {
    if (text.length() > LONGEST) {
      throw places.apply(Optional.empty()).error("more than " + LONGEST + " characters");
    }
    try {
      return new Yaml(places, text).document();
    } catch (MarkedYamlEngineException e) {
      // The whole message quotes the line, which may hold a secret; so may the name of a tag.
      String problem = e.getProblem().replaceAll("(tag handle|directive name).*", "$1");
      throw places.apply(e.getProblemMark()).error("not YAML: " + problem);
    } catch (ReaderException e) {
      throw places
          .apply(Optional.empty())
          .error(String.format("not YAML: the character U+%04X is not allowed", e.getCodePoint()));
    } catch (YamlEngineException e) {
      throw places.apply(Optional.empty()).error("not YAML");
    }
  }

  private Value document() {
    Value value = null;
    while (events.hasNext()) {
      Event event = events.next();
      switch (event.getEventId()) {
        case StreamStart, StreamEnd, DocumentStart, DocumentEnd -> {}
        default -> {
          if (value != null) {
            throw at(event).error("there may be one document only");
          }
          value = isNothing(event) ? empty(event) : value(event, 0);
        }
      }
    }
    return value == null
        ? new Value.Members(places.apply(Optional.empty()), Map.of(), Map.of())
        : value;
  }

  private Value empty(Event event) {
    return new Value.Members(at(event), Map.of(), Map.of());
  }

  private Value value(Event event, int depth) {
    Place place = at(event);
    if (event instanceof AliasEvent
        || (event instanceof NodeEvent node && node.getAnchor().isPresent())) {
      throw place.error("anchors and aliases (& and *) are not used here; quote such a text");
    }
    if (event instanceof ScalarEvent scalar) {
      refuseTag(place, scalar.getTag());
      return new Value.Text(place, scalar.getValue());
    }
    refuseTag(place, ((CollectionStartEvent) event).getTag());
    if (depth == DEEPEST) {
      throw place.error("nested deeper than anything in a configuration");
    }
    return event.getEventId() == Event.ID.SequenceStart ? items(place, depth) : map(place, depth);
  }

  private static void refuseTag(Place place, Optional<String> tag) {
    if (tag.isPresent()) {
      throw place.error("tags (!) are not used here; quote such a text");
    }
  }

  private Value items(Place place, int depth) {
    List<Value> items = new ArrayList<>();
    Event event = events.next();
    while (event.getEventId() != Event.ID.SequenceEnd) {
      if (isNothing(event)) {
        throw at(event).error("an item of this list has no value");
      }
      items.add(value(event, depth + 1));
      event = events.next();
    }
    return new Value.Items(place, List.copyOf(items));
  }

  private Value map(Place place, int depth) {
    Map<String, Value> values = new LinkedHashMap<>();
    Map<String, Place> keys = new LinkedHashMap<>();
    Event event = events.next();
    while (event.getEventId() != Event.ID.MappingEnd) {
      Place at = at(event);
      if (!(value(event, DEEPEST) instanceof Value.Text name)) {
        throw at.error("a name was expected");
      }
      Place before = keys.putIfAbsent(name.text(), at);
      if (before != null) {
        throw at.error("\"" + name.text() + "\" is there already, in line " + before.line());
      }
      Event next = events.next();
      if (isNothing(next)) {
        throw at.error("\"" + name.text() + "\" has no value; leave it out for its default");
      }
      values.put(name.text(), value(next, depth + 1));
      event = events.next();
    }
    return new Value.Members(place, values, keys);
  }

  private static boolean isNothing(Event event) {
    return event instanceof ScalarEvent scalar
        && scalar.isPlain()
        && scalar.getAnchor().isEmpty()
        && scalar.getTag().isEmpty()
        && NOTHING.contains(scalar.getValue());
  }

  private Place at(Event event) {
    return places.apply(event.getStartMark());
  }
}
