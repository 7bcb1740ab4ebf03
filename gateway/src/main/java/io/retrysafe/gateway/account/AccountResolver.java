// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.account;

import io.retrysafe.http.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says who calls. Asked in an event loop: it must not block. {@code toString} is what start lines
 * show.
 */
public interface AccountResolver {

  /**
   * Returns the caller's account; null for a caller without identity.
   *
   * @param headers all header lines of the request
   * @throws NotAuthenticatedException if the caller names an identity that does not hold, such as a
   *     token with a wrong signature
   */
  @Nullable String account(List<Header> headers) throws NotAuthenticatedException;

  /**
   * Returns a digest of what the caller proves itself with, if its account does not prove it; null
   * otherwise. A recorded answer is replayed only to the same one, unless an authorizer is asked.
   */
  default @Nullable String credential(List<Header> headers) throws NotAuthenticatedException {
    return null;
  }

  /**
   * Returns whether the server's secret is needed. If so, only what {@link #with} returns is asked.
   */
  default boolean needsSecret() {
    return false;
  }

  /** Returns this resolver with the server's secret. */
  default AccountResolver with(ServerSecret secret) {
    return this;
  }

  /**
   * Returns the headers that name an account without proving it. Only peers that the gateway trusts
   * may send them ({@code trusted-proxies}).
   */
  default List<String> trustedHeaders() {
    return List.of();
  }

  /** Returns the {@code WWW-Authenticate} of a refusal: how a caller should say who it is. */
  default String challenge() {
    return "Bearer";
  }

  /**
   * {@code authorization}: an HMAC of the Authorization header, made with the server's secret; the
   * default.
   */
  static AccountResolver authorization() {
    return new Accounts.Authorization(null);
  }

  /**
   * {@code { header: NAME }}: what a header says. Trusted proxies set it; other peers must not send
   * it.
   */
  static AccountResolver header(String name) {
    return new Accounts.Named(name);
  }

  /**
   * {@code { basic: user }}: the user of Basic authentication, whose password the upstream checks.
   * It does not see retries, so that an answer is replayed only to the same password.
   */
  static AccountResolver basicUser() {
    return new Accounts.BasicUser(null);
  }

  /**
   * {@code { jwt: CLAIM, keys: FILE, issuer: …, audience: … }}: a claim of a verified token.
   *
   * @throws IllegalArgumentException if the keys cannot be read or should not be used
   */
  static AccountResolver jwt(JwtRule rule) {
    return JwtAccount.create(rule);
  }

  /** {@code none}: nobody has an identity. */
  static AccountResolver none() {
    return new Accounts.None();
  }

  /** A caller names an identity that does not hold. */
  final class NotAuthenticatedException extends Exception {
    private static final long serialVersionUID = 1;

    /** Makes one; the message is shown to the caller and holds no secret. */
    public NotAuthenticatedException(String message) {
      super(message);
    }
  }
}
