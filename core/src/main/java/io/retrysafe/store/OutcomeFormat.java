// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store;

import io.retrysafe.Bytes;
import io.retrysafe.Outcome;
import io.retrysafe.Outcome.Attribute;
import io.retrysafe.Outcome.Kind;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Outcomes as bytes, the same in every store and release: version, flags, status, count of
 * attributes, names and values, body. Every length is written before what it counts and checked
 * when read; numbers are big-endian.
 */
public final class OutcomeFormat {
  private static final byte VERSION = 1;
  private static final int FAILED = 1;
  private static final int KEPT = 2;
  private static final int HEAD = 1 + 1 + Integer.BYTES + Short.BYTES;

  private OutcomeFormat() {}

  /** Returns how many bytes {@link #write} makes of {@code outcome}. */
  public static int size(Outcome outcome) {
    long size = HEAD + Integer.BYTES + (long) outcome.body().size();
    for (Attribute attribute : outcome.attributes()) {
      size += 2L * Integer.BYTES + utf8Length(attribute.name()) + utf8Length(attribute.value());
    }
    return (int) Math.min(size, Integer.MAX_VALUE);
  }

  /** Returns whether {@link #write} makes more than {@code most} bytes of {@code outcome}. */
  public static boolean isLargerThan(Outcome outcome, int most) {
    long bound = HEAD + Integer.BYTES + (long) outcome.body().size();
    for (Attribute attribute : outcome.attributes()) {
      // No character takes more than three bytes: nearly always nothing has to be counted.
      bound += 2L * Integer.BYTES + 3L * (attribute.name().length() + attribute.value().length());
    }
    return bound > most && size(outcome) > most;
  }

  /** Returns {@code outcome} as bytes. */
  public static byte[] write(Outcome outcome) {
    if (outcome.attributes().size() > Short.MAX_VALUE) {
      throw new IllegalArgumentException(
          "an outcome has at most "
              + Short.MAX_VALUE
              + " attributes, was "
              + outcome.attributes().size());
    }
    int flags = (outcome.kind() == Kind.FAILED ? FAILED : 0) | (outcome.isKept() ? KEPT : 0);
    ByteBuffer out = ByteBuffer.allocate(size(outcome));
    out.put(VERSION).put((byte) flags).putInt(outcome.status());
    out.putShort((short) outcome.attributes().size());
    for (Attribute attribute : outcome.attributes()) {
      put(out, utf8(attribute.name()));
      put(out, utf8(attribute.value()));
    }
    put(out, outcome.body().toArray());
    return out.array();
  }

  /**
   * Returns the outcome that {@code bytes} were written from.
   *
   * @throws IllegalArgumentException if they are not an outcome of a known version, whole and
   *     nothing else
   */
  public static Outcome read(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      byte version = in.get();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "outcome of format version " + version + " cannot be read, only " + VERSION + " can");
      }
      int flags = in.get();
      if ((flags & ~(FAILED | KEPT)) != 0) {
        throw new IllegalArgumentException("outcome has unknown flags " + flags);
      }
      Kind kind = (flags & FAILED) == 0 ? Kind.FINAL : Kind.FAILED;
      int status = in.getInt();
      List<Attribute> attributes = attributes(in);
      Bytes body = Bytes.wrap(take(in));
      if (in.hasRemaining()) {
        throw new IllegalArgumentException(
            "outcome is followed by " + in.remaining() + " stray bytes");
      }
      return new Outcome(kind, status, attributes, body, (flags & KEPT) != 0);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException(
          "outcome is cut short after " + bytes.length + " bytes", e);
    }
  }

  private static List<Attribute> attributes(ByteBuffer in) {
    int count = in.getShort();
    if (count < 0 || (long) count * 2 * Integer.BYTES > in.remaining()) {
      throw new IllegalArgumentException("outcome claims to have " + count + " attributes");
    }
    List<Attribute> attributes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      attributes.add(new Attribute(text(take(in)), text(take(in))));
    }
    return attributes;
  }

  private static void put(ByteBuffer out, byte[] bytes) {
    out.putInt(bytes.length).put(bytes);
  }

  private static byte[] take(ByteBuffer in) {
    int length = in.getInt();
    if (length < 0 || length > in.remaining()) {
      throw new IllegalArgumentException(
          "outcome claims a part of " + length + " bytes where " + in.remaining() + " are left");
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  /** Counts without encoding. Each half of a surrogate pair takes two bytes. */
  private static int utf8Length(String text) {
    int length = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      length += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return length;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
