// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.spring.internal.method;

import io.retrysafe.Bytes;
import io.retrysafe.Codec;
import io.retrysafe.Fingerprint;
import io.retrysafe.spring.internal.startup.StartupException;
import java.lang.reflect.Method;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How results and arguments of a method become bytes: as JSON where the application has Jackson,
 * else as text, which is enough for strings and methods without a result.
 */
final class ValueCodec {
  private final Optional<JsonValueCodec> json;
  private final Codec<@Nullable Object> codec;

  ValueCodec(Method method, Optional<JsonValueCodec> json, String where) {
    this.json = json;
    this.codec = codec(method, json, where);
  }

  private static Codec<@Nullable Object> codec(
      Method method, Optional<JsonValueCodec> json, String where) {
    Class<?> type = method.getReturnType();
    if (type == void.class || type == Void.class) {
      return Codec.of(nothing -> Bytes.EMPTY, bytes -> null);
    }
    if (json.isPresent()) {
      return json.get().codec(method.getGenericReturnType());
    }
    if (type == String.class) {
      return Codec.of(text -> Bytes.utf8(String.valueOf(text)), Bytes::toUtf8);
    }
    throw new StartupException(
        where + " returns " + type.getSimpleName() + ", which cannot be kept without Jackson.",
        "Add spring-boot-starter-jackson, or return a String or nothing.");
  }

  Codec<@Nullable Object> codec() {
    return codec;
  }

  /** Returns the digest of a value, or of all values of an array. */
  Fingerprint fingerprint(@Nullable Object value) {
    if (json.isPresent()) {
      return Fingerprint.sha256("spring-json-1", json.get().canonical(value));
    }
    Object[] values = value instanceof Object[] many ? many : new Object[] {value};
    String[] texts = new String[values.length];
    for (int i = 0; i < values.length; i++) {
      texts[i] = text(values[i]);
    }
    return Fingerprint.ofText(texts);
  }

  private static String text(@Nullable Object value) {
    if (value == null) {
      return "null";
    }
    boolean isPlain =
        value instanceof CharSequence
            || value instanceof Number
            || value instanceof Boolean
            || value instanceof Enum<?>
            || value.getClass().getPackageName().startsWith("java.");
    if (!isPlain) {
      throw new IllegalArgumentException(
          "an argument of type "
              + value.getClass().getName()
              + " cannot be compared without Jackson; say what counts with fingerprint = \"...\"");
    }
    return String.valueOf(value);
  }
}
