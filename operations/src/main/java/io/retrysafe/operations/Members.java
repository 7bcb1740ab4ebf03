// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.internal.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads the members of a request and checks their types. */
final class Members {
  /** Longer durations overflow where they are added to a time. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final Map<String, @Nullable Object> members;

  Members(Map<String, @Nullable Object> members, Set<String> known) {
    this.members = members;
    only(members.keySet(), known);
  }

  static void only(Set<String> names, Set<String> known) {
    for (String name : new TreeSet<>(names)) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            name + " is not known; known are " + String.join(", ", new TreeSet<>(known)));
      }
    }
  }

  Optional<String> text(String name) {
    return of(name, String.class, "a text");
  }

  Optional<Long> number(String name) {
    return of(name, Long.class, "a whole number");
  }

  List<Attribute> headers() {
    List<Attribute> headers = new ArrayList<>();
    for (Object each : of("headers", List.class, "a list").orElse(List.of())) {
      if (!(each instanceof Map<?, ?> header)
          || !(header.get("name") instanceof String name)
          || !(header.get("value") instanceof String value)
          || header.size() != 2) {
        throw new IllegalArgumentException("each of headers needs a name and a value");
      }
      headers.add(header(name, value));
    }
    return headers;
  }

  static Attribute header(String name, String value) {
    if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")
        || value.chars().anyMatch(c -> Character.isISOControl(c) && c != '\t')) {
      throw new IllegalArgumentException("the header " + name + " cannot be sent");
    }
    return new Attribute(name, value);
  }

  Bytes body() {
    Optional<String> text = text("body");
    Optional<String> encoded = text("body_base64");
    if (text.isPresent() && encoded.isPresent()) {
      throw new IllegalArgumentException("use body or body_base64, not both");
    }
    if (encoded.isEmpty()) {
      return Bytes.utf8(text.orElse(""));
    }
    try {
      return Bytes.wrap(Base64.getDecoder().decode(encoded.get()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("body_base64 is not Base64", e);
    }
  }

  static Duration duration(String name, String text) {
    Duration duration;
    try {
      duration = DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          name + " must be a duration such as 10m or 2h, was " + text, e);
    }
    if (duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " must be at most " + DurationText.text(LONGEST) + ", was " + text);
    }
    return duration;
  }

  private <T> Optional<T> of(String name, Class<T> type, String what) {
    Object value = members.get(name);
    if (value != null && !type.isInstance(value)) {
      throw new IllegalArgumentException(name + " must be " + what);
    }
    return Optional.ofNullable(type.cast(value));
  }
}
