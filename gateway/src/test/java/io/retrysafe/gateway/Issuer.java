// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes tokens, good ones and others, by hand: the library that checks them would refuse to make
 * some.
 */
record Issuer(String id, KeyPair keys) {
  static final String NAME = "https://issuer.example";
  static final String AUDIENCE = "payments";

  static Issuer create(String id) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2048);
    return new Issuer(id, generator.generateKeyPair());
  }

  /** Returns the public key as a JWK. */
  String jwk() {
    RSAPublicKey key = (RSAPublicKey) keys.getPublic();
    return json(
        Map.of(
            "kty",
            "RSA",
            "kid",
            id,
            "n",
            base64(key.getModulus().toByteArray()),
            "e",
            base64(key.getPublicExponent().toByteArray())));
  }

  static String set(Issuer... issuers) {
    return java.util.Arrays.stream(issuers)
        .map(Issuer::jwk)
        .collect(Collectors.joining(",", "{\"keys\":[", "]}"));
  }

  /** Returns the claims of a good token. */
  static Map<String, Object> claims(String subject) {
    return new TreeMap<>(
        Map.of(
            "sub", subject,
            "iss", NAME,
            "aud", AUDIENCE,
            "exp", System.currentTimeMillis() / 1000 + 600));
  }

  String token(Map<String, Object> claims) throws GeneralSecurityException {
    Signature signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(keys.getPrivate());
    String text = head("RS256") + "." + payload(claims);
    signature.update(text.getBytes(StandardCharsets.US_ASCII));
    return text + "." + base64(signature.sign());
  }

  /** Returns a token that nobody signed. */
  String unsigned(Map<String, Object> claims) {
    return head("none") + "." + payload(claims) + ".";
  }

  /** Returns a token that is signed with the public key, as if that were a shared secret. */
  String signedWithThePublicKey(Map<String, Object> claims) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(keys.getPublic().getEncoded(), "HmacSHA256"));
    String text = head("HS256") + "." + payload(claims);
    return text + "." + base64(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
  }

  private String head(String algorithm) {
    return payload(Map.of("alg", algorithm, "kid", id));
  }

  private static String payload(Map<String, Object> members) {
    return base64(json(members).getBytes(StandardCharsets.UTF_8));
  }

  private static String json(Map<String, ?> members) {
    return members.entrySet().stream()
        .map(
            member ->
                '"'
                    + member.getKey()
                    + "\":"
                    + (member.getValue() instanceof Number
                        ? member.getValue()
                        : '"' + member.getValue().toString() + '"'))
        .collect(Collectors.joining(",", "{", "}"));
  }

  private static String base64(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
