// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config.source;

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
 * Reads YAML into values with locations. Every scalar stays text, so that the spelling of a value
 * never changes its type. The reader rejects what a configuration does not need: anchors, tags,
 * several documents, duplicate names, names without a value, and deep nesting.
 */
final class YamlReader {
  private static final int DEEPEST = 10;
  private static final int LONGEST = 1 << 20;
  private static final Set<String> NOTHING = Set.of("", "~", "null", "Null", "NULL");

  private final Function<Optional<Mark>, SourceLocation> locate;
  private final Iterator<Event> events;

  private YamlReader(Function<Optional<Mark>, SourceLocation> locate, String text) {
    this.locate = locate;
    LoadSettings settings =
        LoadSettings.builder().setUseMarks(true).setCodePointLimit(LONGEST).build();
    this.events = new Parse(settings).parseString(text).iterator();
  }

  /** Reads the text of a file, which is a map or empty. */
  static ConfigValue.Members file(String name, String text) {
    Function<Optional<Mark>, SourceLocation> locate =
        mark ->
            mark.map(at -> new SourceLocation(name, at.getLine() + 1, at.getColumn() + 1))
                .orElseGet(() -> SourceLocation.of(name));
    ConfigValue value = read(locate, text);
    if (value instanceof ConfigValue.Members members) {
      return members;
    }
    throw value.location().error("a configuration is a map of settings, such as upstreams: …");
  }

  /** Reads the value of a flag or environment variable: text, or a list or map as in a file. */
  static ConfigValue inline(SourceLocation location, String text) {
    String stripped = text.strip();
    return stripped.startsWith("{") || stripped.startsWith("[")
        ? read(mark -> location, stripped)
        : new ConfigValue.Text(location, stripped);
  }

  private static ConfigValue read(Function<Optional<Mark>, SourceLocation> locate, String text) {
    if (text.length() > LONGEST) {
      throw locate.apply(Optional.empty()).error("more than " + LONGEST + " characters");
    }
    try {
      return new YamlReader(locate, text).document();
    } catch (MarkedYamlEngineException e) {
      // The full message quotes the line, which may contain a secret; so may the name of a tag.
      String problem = e.getProblem().replaceAll("(tag handle|directive name).*", "$1");
      throw locate.apply(e.getProblemMark()).error("not YAML: " + problem);
    } catch (ReaderException e) {
      throw locate
          .apply(Optional.empty())
          .error(
              String.format("invalid YAML: the character U+%04X is not allowed", e.getCodePoint()));
    } catch (YamlEngineException e) {
      throw locate.apply(Optional.empty()).error("not YAML");
    }
  }

  private ConfigValue document() {
    ConfigValue value = null;
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
        ? new ConfigValue.Members(locate.apply(Optional.empty()), Map.of(), Map.of())
        : value;
  }

  private ConfigValue empty(Event event) {
    return new ConfigValue.Members(at(event), Map.of(), Map.of());
  }

  private ConfigValue value(Event event, int depth) {
    SourceLocation location = at(event);
    if (event instanceof AliasEvent
        || (event instanceof NodeEvent node && node.getAnchor().isPresent())) {
      throw location.error("anchors and aliases (& and *) are not used here; quote such a text");
    }
    if (event instanceof ScalarEvent scalar) {
      refuseTag(location, scalar.getTag());
      return new ConfigValue.Text(location, scalar.getValue());
    }
    refuseTag(location, ((CollectionStartEvent) event).getTag());
    if (depth == DEEPEST) {
      throw location.error("nested too deeply for a configuration");
    }
    return event.getEventId() == Event.ID.SequenceStart
        ? items(location, depth)
        : map(location, depth);
  }

  private static void refuseTag(SourceLocation location, Optional<String> tag) {
    if (tag.isPresent()) {
      throw location.error("tags (!) are not used here; quote such a text");
    }
  }

  private ConfigValue items(SourceLocation location, int depth) {
    List<ConfigValue> items = new ArrayList<>();
    Event event = events.next();
    while (event.getEventId() != Event.ID.SequenceEnd) {
      if (isNothing(event)) {
        throw at(event).error("an item of this list has no value");
      }
      items.add(value(event, depth + 1));
      event = events.next();
    }
    return new ConfigValue.Items(location, List.copyOf(items));
  }

  private ConfigValue map(SourceLocation location, int depth) {
    Map<String, ConfigValue> values = new LinkedHashMap<>();
    Map<String, SourceLocation> keys = new LinkedHashMap<>();
    Event event = events.next();
    while (event.getEventId() != Event.ID.MappingEnd) {
      SourceLocation at = at(event);
      if (!(value(event, DEEPEST) instanceof ConfigValue.Text name)) {
        throw at.error("a name was expected");
      }
      SourceLocation before = keys.putIfAbsent(name.text(), at);
      if (before != null) {
        throw at.error("\"" + name.text() + "\" is already set in line " + before.line());
      }
      Event next = events.next();
      if (isNothing(next)) {
        throw at.error("\"" + name.text() + "\" has no value; leave it out for its default");
      }
      values.put(name.text(), value(next, depth + 1));
      event = events.next();
    }
    return new ConfigValue.Members(location, values, keys);
  }

  private static boolean isNothing(Event event) {
    return event instanceof ScalarEvent scalar
        && scalar.isPlain()
        && scalar.getAnchor().isEmpty()
        && scalar.getTag().isEmpty()
        && NOTHING.contains(scalar.getValue());
  }

  private SourceLocation at(Event event) {
    return locate.apply(event.getStartMark());
  }
}
