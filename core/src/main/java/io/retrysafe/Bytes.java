// SPDX-License-Identifier: Apache-2.0
package io.retrysafe;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/** An immutable sequence of bytes that compares by content. */
public final class Bytes {
  /** No bytes. */
  public static final Bytes EMPTY = new Bytes(new byte[0]);

  private final byte[] array;

  private Bytes(byte[] array) {
    this.array = array;
  }

  /** Returns the bytes of {@code array}, copied. */
  public static Bytes copyOf(byte[] array) {
    return array.length == 0 ? EMPTY : new Bytes(array.clone());
  }

  /**
   * Returns {@code array} itself as bytes. The caller gives it away: it must not change any more.
   */
  public static Bytes wrap(byte[] array) {
    return new Bytes(Objects.requireNonNull(array, "array"));
  }

  /** Returns the UTF-8 form of {@code text}; a lone surrogate becomes a question mark. */
  public static Bytes utf8(String text) {
    return new Bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  public int size() {
    return array.length;
  }

  public boolean isEmpty() {
    return array.length == 0;
  }

  /** Returns a copy that the caller may change. */
  public byte[] toArray() {
    return array.clone();
  }

  /** Returns the text whose UTF-8 form these bytes are; malformed input becomes U+FFFD. */
  public String toUtf8() {
    return new String(array, StandardCharsets.UTF_8);
  }

  /** Writes all bytes to {@code out}, without a copy. */
  public void writeTo(OutputStream out) throws IOException {
    out.write(array);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes that && Arrays.equals(array, that.array);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(array);
  }

  /** Says how many bytes these are, never which: they may be a customer's. */
  @Override
  public String toString() {
    return array.length + " bytes";
  }
}
