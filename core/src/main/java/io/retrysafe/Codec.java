// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** How a result becomes bytes to remember, and a result again for a retry. */
public interface Codec<T extends @Nullable Object> {

  Bytes encode(T result);

  T decode(Bytes bytes);

  /** Returns the codec of two functions. */
  static <T extends @Nullable Object> Codec<T> of(
      Function<T, Bytes> encode, Function<Bytes, T> decode) {
    return new Codec<>() {
      @Override
      public Bytes encode(T result) {
        return encode.apply(result);
      }

      @Override
      public T decode(Bytes bytes) {
        return decode.apply(bytes);
      }
    };
  }

  /** Returns the codec of text, as UTF-8. */
  static Codec<String> string() {
    return of(Bytes::utf8, Bytes::toUtf8);
  }

  /** Returns the codec of bytes as they are. */
  static Codec<Bytes> bytes() {
    return of(bytes -> bytes, bytes -> bytes);
  }

  /** Returns the codec of work that has no result. */
  static Codec<@Nullable Void> nothing() {
    return of(nothing -> Bytes.EMPTY, bytes -> null);
  }
}
