// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.account;

import io.retrysafe.http.Header;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Derives the account of a request from its headers. It runs in an event loop and must not block.
 * The gateway logs its {@code toString} when it starts.
 */
public interface AccountResolver {

  /**
   * Returns the caller's account; null for a caller without identity.
   *
   * @param headers all header lines of the request
   * @throws NotAuthenticatedException if the caller claims an identity and cannot prove it, such as
   *     by a token with a wrong signature
   */
  @Nullable String account(List<Header> headers) throws NotAuthenticatedException;

  /**
   * Returns a digest of the caller's credential if the account alone does not prove the caller;
   * null otherwise. The gateway replays a recorded answer only to a caller with the same digest,
   * unless the route has an authorizer.
   */
  default @Nullable String credential(List<Header> headers) throws NotAuthenticatedException {
    return null;
  }

  /**
   * Returns whether this resolver needs the server's secret. If so, the gateway uses only what
   * {@link #with} returns.
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

  /** Returns the {@code WWW-Authenticate} header of a 401. */
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

  /** {@code { header: NAME }}: the value of a header. Only trusted proxies may send it. */
  static AccountResolver header(String name) {
    return new Accounts.Named(name);
  }

  /**
   * {@code { basic: user }}: the user of Basic authentication. The upstream checks the password. It
   * does not see retries, so the gateway replays an answer only to a caller with the same password.
   */
  static AccountResolver basicUser() {
    return new Accounts.BasicUser(null);
  }

  /**
   * {@code { jwt: CLAIM, keys: FILE, issuer: …, audience: … }}: a claim of a verified token.
   *
   * @throws IllegalArgumentException if the file cannot be read or holds a key that is not public
   */
  static AccountResolver jwt(JwtRule rule) {
    return JwtAccount.create(rule);
  }

  /** {@code none}: no caller has an identity. */
  static AccountResolver none() {
    return new Accounts.None();
  }

  /** A caller claims an identity and cannot prove it. */
  final class NotAuthenticatedException extends Exception {
    private static final long serialVersionUID = 1;

    /** Creates an exception. The caller sees the message, so it must not contain a secret. */
    public NotAuthenticatedException(String message) {
      super(message);
    }
  }
}
