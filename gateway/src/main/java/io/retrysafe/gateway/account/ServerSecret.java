// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.account;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The secret with which a gateway derives accounts from credentials. All replicas share it. */
public final class ServerSecret {
  /** The minimum length of a secret in bytes. */
  public static final int SHORTEST = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] bytes;

  private ServerSecret(byte[] bytes) {
    this.bytes = bytes;
  }

  /**
   * Returns a secret.
   *
   * @param bytes at least {@link #SHORTEST} random bytes; a line end after them is dropped
   * @throws IllegalArgumentException if there are fewer
   */
  public static ServerSecret of(byte[] bytes) {
    int length = bytes.length;
    while (length > 0 && (bytes[length - 1] == '\n' || bytes[length - 1] == '\r')) {
      length--;
    }
    if (length < SHORTEST) {
      throw new IllegalArgumentException(
          "a secret needs at least " + SHORTEST + " bytes, had " + length);
    }
    return new ServerSecret(java.util.Arrays.copyOf(bytes, length));
  }

  /** Returns the bytes of a random secret. */
  static byte[] randomBytes() {
    byte[] bytes = new byte[SHORTEST];
    new SecureRandom().nextBytes(bytes);
    // Hexadecimal: a random byte at the end could be a line end, which is dropped.
    return HexFormat.of().formatHex(bytes).getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Returns the HMAC-SHA-256 of a value, as hexadecimal digits.
   *
   * @param purpose separates digests of the same value for different uses
   */
  String digest(String purpose, String value) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(bytes, ALGORITHM));
      mac.update(purpose.getBytes(StandardCharsets.US_ASCII));
      mac.update((byte) 0);
      return HexFormat.of().formatHex(mac.doFinal(value.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ServerSecret secret && MessageDigest.isEqual(bytes, secret.bytes);
  }

  @Override
  public int hashCode() {
    return bytes.length;
  }

  /** Hides the bytes. */
  @Override
  public String toString() {
    return "ServerSecret";
  }
}
