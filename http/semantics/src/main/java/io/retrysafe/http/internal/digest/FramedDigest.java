// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.digest;

import io.retrysafe.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/** A SHA-256 digest of parts that cannot run into each other: each with its length before it. */
public final class FramedDigest {
  private final MessageDigest digest = sha256();

  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  public FramedDigest add(byte[] part) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
    digest.update(part);
    return this;
  }

  public FramedDigest add(String part) {
    return add(part.getBytes(StandardCharsets.UTF_8));
  }

  /** Adds a mark that no part can be mistaken for, for what is not there. */
  public FramedDigest addAbsent() {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(-1).array());
    return this;
  }

  /** Adds a part, or the mark for a part that is not there. */
  public FramedDigest addOptional(byte @Nullable [] part) {
    return part == null ? addAbsent() : add(part);
  }

  public FramedDigest addCount(int count) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(count).array());
    return this;
  }

  public Bytes digest() {
    return Bytes.wrap(digest.digest());
  }
}
