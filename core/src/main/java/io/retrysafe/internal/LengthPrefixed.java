// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;

/** Joins parts so that they cannot run into each other: each with its length before it. */
public final class LengthPrefixed {
  private LengthPrefixed() {}

  public static byte[] join(byte[]... parts) {
    int size = 0;
    for (byte[] part : parts) {
      size += Integer.BYTES + part.length;
    }
    ByteBuffer joined = ByteBuffer.allocate(size);
    for (byte[] part : parts) {
      joined.putInt(part.length).put(part);
    }
    return joined.array();
  }

  /** Returns the parts that {@link #join} made {@code joined} of. */
  public static List<byte[]> split(byte[] joined) {
    List<byte[]> parts = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(joined);
    while (in.hasRemaining()) {
      int length = in.remaining() < Integer.BYTES ? -1 : in.getInt();
      if (length < 0 || length > in.remaining()) {
        throw new IllegalArgumentException(
            "part " + (parts.size() + 1) + " is cut short in " + joined.length + " bytes");
      }
      byte[] part = new byte[length];
      in.get(part);
      parts.add(part);
    }
    return parts;
  }

  public static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  public static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
