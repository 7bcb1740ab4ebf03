// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.account;

import io.retrysafe.http.Header;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jwk.JsonWebKey;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumer;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.keys.resolvers.JwksVerificationKeyResolver;
import org.jose4j.lang.JoseException;
import org.jspecify.annotations.Nullable;

/**
 * The account is a claim of a verified bearer token. Only public-key signatures are accepted: a
 * party that verifies tokens with a shared secret can also forge them, and a public key could be
 * abused as such a secret. The resolver ignores headers that say where to find a key.
 */
final class JwtAccount implements AccountResolver {
  private static final String BEARER = "bearer ";
  private static final int SKEW_SECONDS = 30;
  private static final int LONGEST = 255;
  private static final String[] ALGORITHMS = {
    AlgorithmIdentifiers.RSA_USING_SHA256,
    AlgorithmIdentifiers.RSA_USING_SHA384,
    AlgorithmIdentifiers.RSA_USING_SHA512,
    AlgorithmIdentifiers.RSA_PSS_USING_SHA256,
    AlgorithmIdentifiers.RSA_PSS_USING_SHA384,
    AlgorithmIdentifiers.RSA_PSS_USING_SHA512,
    AlgorithmIdentifiers.ECDSA_USING_P256_CURVE_AND_SHA256,
    AlgorithmIdentifiers.ECDSA_USING_P384_CURVE_AND_SHA384,
    AlgorithmIdentifiers.ECDSA_USING_P521_CURVE_AND_SHA512,
    AlgorithmIdentifiers.EDDSA
  };

  private final JwtRule rule;
  private final JwtConsumer consumer;

  private JwtAccount(JwtRule rule, List<JsonWebKey> keys) {
    this.rule = rule;
    this.consumer =
        new JwtConsumerBuilder()
            .setVerificationKeyResolver(new JwksVerificationKeyResolver(keys))
            .setJwsAlgorithmConstraints(ConstraintType.PERMIT, ALGORITHMS)
            .setExpectedIssuer(true, rule.issuer())
            .setExpectedAudience(true, rule.audience())
            .setRequireExpirationTime()
            .setAllowedClockSkewInSeconds(SKEW_SECONDS)
            .build();
  }

  static JwtAccount create(JwtRule rule) {
    return new JwtAccount(rule, keys(rule));
  }

  private static List<JsonWebKey> keys(JwtRule rule) {
    List<JsonWebKey> keys;
    try {
      keys = new JsonWebKeySet(Files.readString(rule.keys())).getJsonWebKeys();
    } catch (IOException | JoseException | RuntimeException e) {
      // The library's message may quote the file.
      throw new IllegalArgumentException(
          "the file " + rule.keys() + " is not a JWK set, {\"keys\": […]}");
    }
    if (keys.isEmpty()) {
      throw new IllegalArgumentException(
          "the file " + rule.keys() + " has no key of a kind that is known");
    }
    for (JsonWebKey key : keys) {
      if (!(key instanceof PublicJsonWebKey pair) || pair.getPrivateKey() != null) {
        throw new IllegalArgumentException(
            "the file "
                + rule.keys()
                + " has a secret in it, the key "
                + key.getKeyId()
                + ": only public keys belong here");
      }
    }
    return List.copyOf(keys);
  }

  @Override
  public @Nullable String account(List<Header> headers) throws NotAuthenticatedException {
    String value = Accounts.only(headers, "Authorization");
    if (value == null) {
      return null;
    }
    if (!value.toLowerCase(Locale.ROOT).startsWith(BEARER)) {
      throw new NotAuthenticatedException("A bearer token is required.");
    }
    Object account = claims(value.substring(BEARER.length()).strip()).getClaimValue(rule.claim());
    if (account instanceof String text && isAccount(text)) {
      return text;
    }
    throw new NotAuthenticatedException(
        "The token has no valid text in its claim " + rule.claim() + ".");
  }

  private static boolean isAccount(String text) {
    return !text.isBlank()
        && text.length() <= LONGEST
        && text.chars().noneMatch(Character::isISOControl)
        && StandardCharsets.UTF_8.newEncoder().canEncode(text);
  }

  private JwtClaims claims(String token) throws NotAuthenticatedException {
    try {
      return consumer.processToClaims(token);
    } catch (InvalidJwtException e) {
      throw new NotAuthenticatedException(
          e.hasExpired() ? "The token has expired." : "The token is not valid.");
    }
  }

  @Override
  public String challenge() {
    return "Bearer error=\"invalid_token\"";
  }

  @Override
  public String toString() {
    return "jwt " + rule.claim() + ": the claim of a verified token of " + rule.issuer();
  }
}
