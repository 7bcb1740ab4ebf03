// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.account;

import java.nio.file.Path;

/**
 * The tokens that a gateway accepts.
 *
 * @param claim the claim that is the account, such as {@code sub}
 * @param keys a file with the issuer's public keys, a JWK set (RFC 7517)
 * @param issuer what {@code iss} must be
 * @param audience what {@code aud} must be or contain
 */
public record JwtRule(String claim, Path keys, String issuer, String audience) {
  public JwtRule {
    if (claim.isBlank() || issuer.isBlank() || audience.isBlank()) {
      throw new IllegalArgumentException("claim, issuer and audience must not be empty");
    }
  }
}
