// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.jdbc;

import io.retrysafe.OperationKey;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;

/**
 * The primary key of an entry: 24 bytes of the key's digest. Where the caller's key is a UUIDv7 or
 * a ULID the first six are the time in it, so that new rows land next to each other in the index.
 */
final class RowId implements Comparable<RowId> {
  static final int SIZE = 24;
  private static final int TIME = 6;
  private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

  private final byte[] bytes;

  /** The first eight bytes, which nearly always decide a comparison. */
  private final long head;

  private RowId(byte[] bytes) {
    this.bytes = bytes;
    this.head = ByteBuffer.wrap(bytes).getLong();
  }

  static RowId of(OperationKey key) {
    byte[] digest = key.digest();
    long time = timeOf(key.value());
    if (time < 0) {
      return new RowId(Arrays.copyOf(digest, SIZE));
    }
    byte[] id = new byte[SIZE];
    for (int i = 0; i < TIME; i++) {
      id[i] = (byte) (time >>> (8 * (TIME - 1 - i)));
    }
    System.arraycopy(digest, 0, id, TIME, SIZE - TIME);
    return new RowId(id);
  }

  /** Returns the bytes themselves, which nobody changes. */
  byte[] bytes() {
    return bytes;
  }

  /** Returns which of {@code count} lanes the row belongs to: for good, and spread evenly. */
  int lane(int count) {
    // Not the first bytes: of keys that carry their time those are equal for a while.
    return (bytes[SIZE - 1] & 0xff) % count;
  }

  /** Compares as databases do: byte by byte, unsigned. */
  @Override
  public int compareTo(RowId other) {
    int byHead = Long.compareUnsigned(head, other.head);
    return byHead != 0 ? byHead : Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RowId that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Returns the 48 bits of time in {@code value}, or -1 where it is neither UUIDv7 nor ULID. */
  static long timeOf(String value) {
    return switch (value.length()) {
      case 36 -> uuidTime(value);
      case 26 -> ulidTime(value.toUpperCase(Locale.ROOT));
      default -> -1;
    };
  }

  private static long uuidTime(String value) {
    long time = 0;
    int digits = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (i == 8 || i == 13 || i == 18 || i == 23) {
        if (c != '-') {
          return -1;
        }
        continue;
      }
      int digit = Character.digit(c, 16);
      if (digit < 0) {
        return -1;
      }
      if (digits < 12) {
        time = time << 4 | digit;
      }
      digits++;
    }
    return value.charAt(14) == '7' ? time : -1;
  }

  private static long ulidTime(String value) {
    if (value.charAt(0) > '7') {
      return -1;
    }
    long time = 0;
    for (int i = 0; i < value.length(); i++) {
      int digit = CROCKFORD.indexOf(value.charAt(i));
      if (digit < 0) {
        return -1;
      }
      if (i < 10) {
        time = time << 5 | digit;
      }
    }
    return time;
  }
}
