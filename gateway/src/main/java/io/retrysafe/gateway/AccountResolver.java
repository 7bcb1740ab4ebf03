// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

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

  /** Returns the {@code WWW-Authenticate} of a refusal: how a caller should say who it is. */
  default String challenge() {
    return "Bearer";
  }

  /** {@code authorization}: a digest of the Authorization header, the default. */
  static AccountResolver authorization() {
    return new Accounts.Authorization();
  }

  /**
   * {@code { header: NAME }}: what a header says. Only right behind something that sets it and lets
   * no caller set it.
   */
  static AccountResolver header(String name) {
    return new Accounts.Named(name);
  }

  /** {@code { basic: user }}: the user of Basic authentication, which the upstream checks. */
  static AccountResolver basicUser() {
    return new Accounts.BasicUser();
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
