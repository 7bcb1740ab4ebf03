// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome.Attribute;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The members of a request, each of the type it must have. */
final class Members {
  private final Map<String, @Nullable Object> members;

  Members(Map<String, @Nullable Object> members, Set<String> known) {
    this.members = members;
    only(members.keySet(), known);
  }

  static void only(Set<String> names, Set<String> known) {
    for (String name : new TreeSet<>(names)) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            name + " is not known; there are " + String.join(", ", new TreeSet<>(known)));
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
      throw new IllegalArgumentException("there can be body or body_base64, not both");
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

  private <T> Optional<T> of(String name, Class<T> type, String what) {
    Object value = members.get(name);
    if (value != null && !type.isInstance(value)) {
      throw new IllegalArgumentException(name + " must be " + what);
    }
    return Optional.ofNullable(type.cast(value));
  }
}
