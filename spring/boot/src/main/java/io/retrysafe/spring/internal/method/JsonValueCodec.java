// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The JSON form of results and arguments, written by the application's mapper. */
final class JsonValueCodec {
  private final JsonMapper mapper;
  private final JsonMapper sorted;

  JsonValueCodec(JsonMapper mapper) {
    this.mapper = mapper;
    this.sorted =
        mapper
            .rebuild()
            .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .disable(SerializationFeature.INDENT_OUTPUT)
            .build();
  }

  /** Returns the codec of one declared type; what is stored names no classes. */
  Codec<@Nullable Object> codec(Type type) {
    JavaType known = mapper.constructType(type);
    return Codec.of(
        result -> Bytes.wrap(mapper.writerFor(known).writeValueAsBytes(result)),
        bytes -> mapper.readValue(bytes.toArray(), known));
  }

  /** Returns a value in a form that does not depend on the order of members. */
  Bytes canonical(@Nullable Object value) {
    return Bytes.wrap(sorted.writeValueAsBytes(value));
  }
}
