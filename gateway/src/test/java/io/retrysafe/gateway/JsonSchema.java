// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** As much of JSON Schema as the document of the admin API uses; anything else in it is refused. */
final class JsonSchema {
  private final Map<?, ?> schemas;

  JsonSchema(Map<?, ?> schemas) {
    this.schemas = schemas;
  }

  void check(String where, @Nullable Object schema, @Nullable Object value) {
    Map<?, ?> rule = JsonTree.map(schema);
    if (rule.get("$ref") instanceof String ref) {
      String name = ref.substring(ref.lastIndexOf('/') + 1);
      assertThat(schemas.containsKey(name)).as(ref).isTrue();
      check(where, schemas.get(name), value);
      return;
    }
    switch (String.valueOf(rule.get("type"))) {
      case "string" -> string(where, rule, value);
      case "integer" -> assertThat(value).as(where).isInstanceOf(Long.class);
      case "boolean" -> assertThat(value).as(where).isInstanceOf(Boolean.class);
      case "array" -> {
        assertThat(value).as(where).isInstanceOf(List.class);
        JsonTree.list(value).forEach(each -> check(where + "[]", rule.get("items"), each));
      }
      case "object" -> object(where, rule, value);
      default -> throw new AssertionError(where + " has no known type: " + rule);
    }
  }

  private static void string(String where, Map<?, ?> rule, @Nullable Object value) {
    assertThat(value).as(where).isInstanceOf(String.class);
    if (rule.get("enum") instanceof List<?> words) {
      assertThat(words.contains(value)).as("%s: %s", where, value).isTrue();
    }
    if ("date-time".equals(rule.get("format"))) {
      assertThat(Instant.parse(String.valueOf(value))).as(where).isNotNull();
    }
  }

  private void object(String where, Map<?, ?> rule, @Nullable Object value) {
    assertThat(value).as(where).isInstanceOf(Map.class);
    Map<?, ?> members = JsonTree.map(value);
    Map<?, ?> known = rule.get("properties") instanceof Map<?, ?> map ? map : Map.of();
    if (rule.get("required") instanceof List<?> required) {
      required.forEach(
          name -> assertThat(members.containsKey(name)).as(where + "." + name).isTrue());
    }
    members.forEach(
        (name, member) -> {
          if (known.containsKey(name)) {
            check(where + "." + name, known.get(name), member);
          } else if (rule.get("additionalProperties") instanceof Map<?, ?> other) {
            check(where + "." + name, other, member);
          } else {
            assertThat(rule.get("additionalProperties")).as(where + "." + name).isNotEqualTo(false);
          }
        });
  }
}
