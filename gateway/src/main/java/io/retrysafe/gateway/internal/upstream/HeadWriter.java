// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.retrysafe.gateway.internal.wire.HeaderSyntax;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the heads of HTTP/1.1 requests, one after the other. It rejects values that could end a
 * line; bytes beyond ASCII pass unchanged.
 */
public final class HeadWriter {
  private static final byte[] VERSION = " HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII);
  private static final int ENOUGH = 1024;
  private static final int MOST_KEPT = 64 * 1024;

  private byte[] bytes = new byte[ENOUGH];
  private int size;

  /**
   * Begins another head and discards an unfinished one.
   *
   * @throws IllegalArgumentException if it contains a character that is not allowed
   */
  HeadWriter start(String method, String target) {
    size = 0;
    name(method);
    bytes[size++] = ' ';
    reserve(target.length() + VERSION.length);
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        throw new IllegalArgumentException(
            "the request target has a character that is not allowed");
      }
      bytes[size++] = (byte) c;
    }
    System.arraycopy(VERSION, 0, bytes, size, VERSION.length);
    size += VERSION.length;
    return this;
  }

  /**
   * Adds a header.
   *
   * @throws IllegalArgumentException if there is something in it that must not be there
   */
  public HeadWriter add(String name, String value) {
    name(name);
    bytes[size++] = ':';
    bytes[size++] = ' ';
    reserve(value.length());
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (!HeaderSyntax.isValue(c)) {
        throw new IllegalArgumentException(
            "the header " + name + " has a character that is not allowed");
      }
      bytes[size++] = (byte) c;
    }
    bytes[size++] = '\r';
    bytes[size++] = '\n';
    return this;
  }

  private void name(String name) {
    reserve(name.length());
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!HeaderSyntax.isName(c)) {
        throw new IllegalArgumentException(
            "a name in the head of a request has a character that is not allowed");
      }
      bytes[size++] = (byte) c;
    }
    if (name.isEmpty()) {
      throw new IllegalArgumentException("a name in a request's head is empty");
    }
  }

  /** Reserves space for that many characters and their delimiters. */
  private void reserve(int length) {
    int needed = size + length + 8;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, bytes.length * 2));
    }
  }

  /** Returns the whole head, with space for a body after it. */
  ByteBuf end(ByteBufAllocator allocator, int body) {
    reserve(2);
    bytes[size++] = '\r';
    bytes[size++] = '\n';
    ByteBuf head = allocator.directBuffer(size + body).writeBytes(bytes, 0, size);
    if (bytes.length > MOST_KEPT) {
      bytes = new byte[ENOUGH];
    }
    return head;
  }
}
