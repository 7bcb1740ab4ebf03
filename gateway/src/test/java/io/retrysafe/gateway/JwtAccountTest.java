// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.retrysafe.gateway.account.AccountResolver;
import io.retrysafe.gateway.account.AccountResolver.NotAuthenticatedException;
import io.retrysafe.gateway.account.JwtRule;
import io.retrysafe.http.Header;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.OctetSequenceJsonWebKey;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.NumericDate;
import org.jose4j.keys.HmacKey;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which tokens name a caller, and which do not. */
class JwtAccountTest {
  private static final KeyPair RSA = pair("RSA", 2048);
  private static final KeyPair EC = pair("EC", 256);
  private static final KeyPair ED = pair("Ed25519", 255);
  private @Nullable AccountResolver resolver;

  private final Path folder;

  JwtAccountTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private static KeyPair pair(String algorithm, int size) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
      generator.initialize(size);
      return generator.generateKeyPair();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonWebKey jwk(KeyPair pair, String id) throws JoseException {
    PublicJsonWebKey key = PublicJsonWebKey.Factory.newPublicJwk(pair.getPublic());
    key.setKeyId(id);
    return key;
  }

  @BeforeEach
  void readKeys() throws Exception {
    resolver =
        AccountResolver.jwt(
            rule(new JsonWebKeySet(jwk(RSA, "rsa"), jwk(EC, "ec"), jwk(ED, "ed")).toJson()));
  }

  private JwtRule rule(String keys) throws IOException {
    Path file = Files.writeString(folder.resolve("keys.json"), keys);
    return new JwtRule("sub", file, "https://issuer.example", "payments");
  }

  private static JwtClaims claims() {
    JwtClaims claims = new JwtClaims();
    claims.setSubject("merchant_7");
    claims.setIssuer("https://issuer.example");
    claims.setAudience("payments", "mails");
    claims.setExpirationTimeMinutesInTheFuture(5);
    return claims;
  }

  private static String token(String algorithm, @Nullable Key key, @Nullable String id, JwtClaims c)
      throws JoseException {
    return signed(algorithm, key, id, c.toJson());
  }

  private static String signed(
      String algorithm, @Nullable Key key, @Nullable String id, String payload)
      throws JoseException {
    JsonWebSignature token = new JsonWebSignature();
    token.setPayload(payload);
    token.setAlgorithmHeaderValue(algorithm);
    token.setAlgorithmConstraints(AlgorithmConstraints.NO_CONSTRAINTS);
    token.setDoKeyValidation(false);
    if (key != null) {
      token.setKey(key);
    }
    if (id != null) {
      token.setKeyIdHeaderValue(id);
    }
    return token.getCompactSerialization();
  }

  private @Nullable String account(String authorization) throws NotAuthenticatedException {
    return resolver == null
        ? null
        : resolver.account(List.of(new Header("Authorization", authorization)));
  }

  private void refused(String token) {
    assertThatThrownBy(() -> account("Bearer " + token))
        .isInstanceOf(NotAuthenticatedException.class)
        .message()
        .doesNotContain("Bearer " + token, "merchant_7");
  }

  private void refused(Consumer<JwtClaims> change) throws JoseException {
    JwtClaims claims = claims();
    change.accept(claims);
    refused(token("RS256", RSA.getPrivate(), "rsa", claims));
  }

  @Test
  void tokensOfEveryKindOfKeyNameTheirCaller() throws Exception {
    for (String token :
        List.of(
            token("RS256", RSA.getPrivate(), "rsa", claims()),
            token("PS256", RSA.getPrivate(), "rsa", claims()),
            token("ES256", EC.getPrivate(), "ec", claims()),
            token("EdDSA", ED.getPrivate(), "ed", claims()),
            token("ES256", EC.getPrivate(), null, claims()))) {
      assertThat(account("Bearer " + token)).isEqualTo("merchant_7");
      assertThat(account("bearer " + token)).isEqualTo("merchant_7");
    }
  }

  @Test
  void withoutATokenThereIsNoIdentity() throws Exception {
    assertThat(resolver).isNotNull();
    assertThat(resolver == null ? "" : resolver.account(List.of())).isNull();
    assertThatThrownBy(() -> account("Basic YTpi")).hasMessage("A bearer token is required.");
    refused("");
    refused("a.b.c");
  }

  @Test
  void aTokenWithoutSignatureIsRefused() throws Exception {
    refused(token("none", null, null, claims()));
    String signed = token("RS256", RSA.getPrivate(), "rsa", claims());
    refused(signed.substring(0, signed.lastIndexOf('.') + 1));
  }

  @Test
  void aPublicKeyIsNoSecret() throws Exception {
    byte[] publicKey = RSA.getPublic().getEncoded();
    String pem =
        "-----BEGIN PUBLIC KEY-----\n"
            + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(publicKey)
            + "\n-----END PUBLIC KEY-----\n";
    for (byte[] secret : List.of(publicKey, pem.getBytes(StandardCharsets.US_ASCII))) {
      refused(token("HS256", new HmacKey(secret), "rsa", claims()));
      refused(token("HS256", new HmacKey(secret), null, claims()));
    }
  }

  @Test
  void aTokenOfSomebodyElseIsRefused() throws Exception {
    refused(token("RS256", pair("RSA", 2048).getPrivate(), "rsa", claims()));
    refused(token("ES256", pair("EC", 256).getPrivate(), "ec", claims()));
    refused(token("EdDSA", pair("Ed25519", 255).getPrivate(), "ed", claims()));
    refused(token("RS256", RSA.getPrivate(), "unknown", claims()));
    String good = token("RS256", RSA.getPrivate(), "rsa", claims());
    JwtClaims other = claims();
    other.setSubject("merchant_8");
    String[] parts = good.split("\\.", -1);
    String payload =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(other.toJson().getBytes(StandardCharsets.UTF_8));
    refused(parts[0] + "." + payload + "." + parts[2]);
  }

  @Test
  void timesIssuerAndAudienceMustHold() throws Exception {
    refused(claims -> claims.setExpirationTimeMinutesInTheFuture(-1));
    refused(claims -> claims.unsetClaim("exp"));
    refused(claims -> claims.setNotBefore(NumericDate.fromMilliseconds(now() + 120_000)));
    refused(claims -> claims.setIssuer("https://other.example"));
    refused(claims -> claims.unsetClaim("iss"));
    refused(claims -> claims.setAudience("mails"));
    refused(claims -> claims.unsetClaim("aud"));
  }

  private static long now() {
    return System.currentTimeMillis();
  }

  @Test
  void theClaimMustBeUsableText() throws Exception {
    refused(claims -> claims.unsetClaim("sub"));
    refused(claims -> claims.setClaim("sub", 7));
    refused(claims -> claims.setClaim("sub", " "));
    refused(claims -> claims.setClaim("sub", "a\u0000b"));
    String halfACharacter = claims().toJson().replace("merchant_7", "a\\ud800");
    refused(signed("RS256", RSA.getPrivate(), "rsa", halfACharacter));
    refused(claims -> claims.setClaim("sub", "x".repeat(256)));
  }

  @Test
  void onlyPublicKeysBelongInTheFile() throws Exception {
    PublicJsonWebKey whole = PublicJsonWebKey.Factory.newPublicJwk(RSA.getPublic());
    whole.setPrivateKey(RSA.getPrivate());
    whole.setKeyId("whole");
    JwtRule withPrivate =
        rule("{\"keys\":[" + whole.toJson(JsonWebKey.OutputControlLevel.INCLUDE_PRIVATE) + "]}");
    assertThatThrownBy(() -> AccountResolver.jwt(withPrivate))
        .hasMessageContaining("has a secret in it, the key whole");
    OctetSequenceJsonWebKey secret = new OctetSequenceJsonWebKey(new HmacKey(new byte[32]));
    JwtRule withSecret =
        rule("{\"keys\":[" + secret.toJson(JsonWebKey.OutputControlLevel.INCLUDE_SYMMETRIC) + "]}");
    assertThatThrownBy(() -> AccountResolver.jwt(withSecret)).hasMessageContaining("secret");
    JwtRule empty = rule("{\"keys\":[]}");
    assertThatThrownBy(() -> AccountResolver.jwt(empty)).hasMessageContaining("has no key");
    for (String text : List.of("", "[]", "{}", "{\"keys\":1}", "s3cret")) {
      JwtRule none = rule(text);
      assertThatThrownBy(() -> AccountResolver.jwt(none))
          .isInstanceOf(IllegalArgumentException.class)
          .message()
          .doesNotContain("s3cret");
    }
  }
}
