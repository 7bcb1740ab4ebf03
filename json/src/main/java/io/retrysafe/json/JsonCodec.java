// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.json;

import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/**
 * Remembers results as JSON, so that records and classes need no codec of their own.
 *
 * <p>A retry may be answered by a later release of the application. It must still read what an
 * earlier one recorded: add members, and give them defaults; do not rename or remove them while
 * recorded results are kept.
 */
public final class JsonCodec {
  private static final JsonMapper DEFAULT = JsonMapper.builder().build();

  private JsonCodec() {}

  /** Returns a codec of results of {@code type}, with Jackson's defaults. */
  public static <T> Codec<T> of(Class<T> type) {
    return of(DEFAULT, type);
  }

  /** Returns a codec of results of a generic type, with Jackson's defaults. */
  public static <T> Codec<T> of(TypeReference<T> type) {
    return of(DEFAULT, type);
  }

  /** Returns a codec of results of {@code type}, with the application's own mapper. */
  public static <T> Codec<T> of(ObjectMapper mapper, Class<T> type) {
    return of(mapper, mapper.constructType(type));
  }

  /** Returns a codec of results of a generic type, with the application's own mapper. */
  public static <T> Codec<T> of(ObjectMapper mapper, TypeReference<T> type) {
    return of(mapper, mapper.constructType(type));
  }

  private static <T> Codec<T> of(ObjectMapper mapper, JavaType type) {
    return Codec.of(
        result -> Bytes.wrap(mapper.writerFor(type).writeValueAsBytes(result)),
        bytes -> {
          try {
            return mapper.readValue(bytes.toArray(), type);
          } catch (JacksonException e) {
            // Without Jackson's cause: its message may quote the result.
            throw new IllegalStateException(
                "The recorded result cannot be read as "
                    + type.toCanonical()
                    + ". It was recorded by a release with another form of this type: keep the form readable until"
                    + " the retention has passed. The reader failed with "
                    + e.getClass().getSimpleName()
                    + '.');
          }
        });
  }
}
