// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.json;

import io.retrysafe.http.internal.digest.FramedDigest;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The canonical text of a JSON value in at most {@value #LONGEST} bytes: the text itself, or {@code
 * #} and its SHA-256 digest where the text is longer. No JSON value begins with {@code #}, so equal
 * tokens mean equal values.
 */
final class JsonToken {
  static final int LONGEST = 64;

  private final byte[] buffer = new byte[LONGEST];
  private final @Nullable JsonToken outer;
  private @Nullable MessageDigest digest;
  private int length;

  /**
   * @param outer receives the same text, where the value is also part of a larger one
   */
  JsonToken(@Nullable JsonToken outer) {
    this.outer = outer;
  }

  void add(byte[] bytes) {
    add(bytes, 0, bytes.length);
  }

  void add(byte[] bytes, int from, int to) {
    if (outer != null) {
      outer.add(bytes, from, to);
    }
    int count = to - from;
    if (length + count > LONGEST) {
      if (digest == null) {
        digest = FramedDigest.sha256();
      }
      digest.update(buffer, 0, length);
      length = 0;
      if (count > LONGEST) {
        digest.update(bytes, from, count);
        return;
      }
    }
    System.arraycopy(bytes, from, buffer, length, count);
    length += count;
  }

  void add(char ascii) {
    if (outer != null) {
      outer.add(ascii);
    }
    if (length == LONGEST) {
      if (digest == null) {
        digest = FramedDigest.sha256();
      }
      digest.update(buffer, 0, length);
      length = 0;
    }
    buffer[length++] = (byte) ascii;
  }

  /** Ends the value and returns its token. */
  byte[] end() {
    if (digest == null) {
      return Arrays.copyOf(buffer, length);
    }
    digest.update(buffer, 0, length);
    byte[] sha256 = digest.digest();
    byte[] token = new byte[1 + sha256.length];
    token[0] = '#';
    System.arraycopy(sha256, 0, token, 1, sha256.length);
    return token;
  }
}
