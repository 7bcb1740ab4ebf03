// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.store.layered;

import io.retrysafe.OperationKey;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tells copies that this store made for this very key from everything else, where others can write
 * too: an HMAC-SHA-256 over the key and the copy stands before it.
 */
interface Seal {
  /** For copies that nobody else can reach. */
  Seal NONE =
      new Seal() {
        @Override
        public byte[] close(OperationKey key, byte[] copy) {
          return copy;
        }

        @Override
        public Optional<byte[]> open(OperationKey key, byte[] whole) {
          return Optional.of(whole);
        }
      };

  byte[] close(OperationKey key, byte[] copy);

  /** Returns the copy if it was made with the same secret for the same key. */
  Optional<byte[]> open(OperationKey key, byte[] whole);

  static Seal of(byte[] secret) {
    return new Hmac(secret);
  }

  /** The seal with a secret. */
  final class Hmac implements Seal {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SIZE = 32;

    private final SecretKeySpec secret;

    /**
     * Cloned for every seal: looking for an algorithm and preparing it takes longer than sealing.
     */
    private final Mac prepared;

    private Hmac(byte[] secret) {
      this.secret = new SecretKeySpec(secret, ALGORITHM);
      this.prepared = prepare();
    }

    @Override
    public byte[] close(OperationKey key, byte[] copy) {
      byte[] whole = Arrays.copyOf(mac(key, copy), SIZE + copy.length);
      System.arraycopy(copy, 0, whole, SIZE, copy.length);
      return whole;
    }

    @Override
    public Optional<byte[]> open(OperationKey key, byte[] whole) {
      if (whole.length < SIZE) {
        return Optional.empty();
      }
      byte[] copy = Arrays.copyOfRange(whole, SIZE, whole.length);
      return MessageDigest.isEqual(mac(key, copy), Arrays.copyOf(whole, SIZE))
          ? Optional.of(copy)
          : Optional.empty();
    }

    private byte[] mac(OperationKey key, byte[] copy) {
      Mac mac = fresh();
      // The digest has a fixed length, so that key and copy cannot run into each other.
      mac.update(key.digest());
      return mac.doFinal(copy);
    }

    private Mac fresh() {
      try {
        return (Mac) prepared.clone();
      } catch (CloneNotSupportedException e) {
        // Some providers cannot; the JDK's can.
        return prepare();
      }
    }

    private Mac prepare() {
      try {
        Mac mac = Mac.getInstance(ALGORITHM);
        mac.init(secret);
        return mac;
      } catch (NoSuchAlgorithmException | InvalidKeyException e) {
        throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
      }
    }
  }
}
