// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.config;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.impl.KeyStoreHelper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.util.List;
import java.util.stream.Stream;

/**
 * Reads and checks PEM files once, so that the gateway uses exactly the bytes that were checked.
 */
public final class Pem {
  private Pem() {}

  /**
   * Returns a certificate with its key.
   *
   * @throws IllegalArgumentException if they cannot be used
   */
  public static PemKeyCertOptions pair(Path certificate, Path key) {
    Buffer certificates = read(certificate);
    Buffer secret = read(key);
    KeyStore pair;
    try {
      pair = KeyStoreHelper.loadKeyCert(List.of(secret), List.of(certificates));
    } catch (Exception e) {
      // The library's message may quote the file.
      throw new IllegalArgumentException(
          certificate + " and " + key + " are not a certificate and its private key in PEM");
    }
    if (!isPair(pair)) {
      throw new IllegalArgumentException(
          "the key in " + key + " is not that of the certificate in " + certificate);
    }
    return new PemKeyCertOptions().setCertValue(certificates).setKeyValue(secret);
  }

  /**
   * Returns roots of certificates.
   *
   * @throws IllegalArgumentException if there are none
   */
  public static PemTrustOptions roots(Path file) {
    Buffer roots = read(file);
    try {
      KeyStore unused = KeyStoreHelper.loadCA(Stream.of(roots));
    } catch (Exception e) {
      throw new IllegalArgumentException("the file " + file + " has no certificates in PEM");
    }
    return new PemTrustOptions().addCertValue(roots);
  }

  private static Buffer read(Path file) {
    try {
      return Buffer.buffer(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new IllegalArgumentException("the file " + file + " cannot be read", e);
    }
  }

  /**
   * Checks that key and certificate belong together. A server would otherwise notice at the first
   * handshake.
   */
  private static boolean isPair(KeyStore pair) {
    try {
      String alias = pair.aliases().nextElement();
      char[] password = KeyStoreHelper.DUMMY_PASSWORD.toCharArray();
      PrivateKey key = (PrivateKey) pair.getKey(alias, password);
      Certificate certificate = pair.getCertificate(alias);
      boolean isRsa = key.getAlgorithm().equals("RSA");
      Signature signature = Signature.getInstance(isRsa ? "SHA256withRSA" : "SHA256withECDSA");
      byte[] text = {1, 2, 3};
      signature.initSign(key);
      signature.update(text);
      byte[] signed = signature.sign();
      signature.initVerify(certificate);
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }
}
