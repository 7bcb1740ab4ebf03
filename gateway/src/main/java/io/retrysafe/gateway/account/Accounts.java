// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.account;

import io.retrysafe.http.Header;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The account resolvers that need no public keys. */
final class Accounts {
  private Accounts() {}

  /**
   * Stores an HMAC instead of the credential. A weak credential cannot be guessed from it without
   * the secret.
   */
  record Authorization(@Nullable ServerSecret secret) implements AccountResolver {
    @Override
    public @Nullable String account(List<Header> headers) throws NotAuthenticatedException {
      String value = only(headers, "Authorization");
      return value == null ? null : "hmac:" + known(secret).digest("account", value.strip());
    }

    @Override
    public boolean needsSecret() {
      return true;
    }

    @Override
    public AccountResolver with(ServerSecret known) {
      return new Authorization(known);
    }

    @Override
    public String toString() {
      return "authorization: a retry must carry the same Authorization header";
    }
  }

  record Named(String name) implements AccountResolver {
    @Override
    public @Nullable String account(List<Header> headers) throws NotAuthenticatedException {
      return only(headers, name);
    }

    @Override
    public List<String> trustedHeaders() {
      return List.of(name);
    }

    @Override
    public String toString() {
      return "header " + name + ": only trusted peers may set it";
    }
  }

  /** A Basic user name is case-sensitive text without a colon. */
  record BasicUser(@Nullable ServerSecret secret) implements AccountResolver {
    @Override
    public @Nullable String credential(List<Header> headers) throws NotAuthenticatedException {
      String value = only(headers, "Authorization");
      return value == null ? null : known(secret).digest("credential", value.strip());
    }

    @Override
    public boolean needsSecret() {
      return true;
    }

    @Override
    public AccountResolver with(ServerSecret known) {
      return new BasicUser(known);
    }

    @Override
    public @Nullable String account(List<Header> headers) throws NotAuthenticatedException {
      String value = only(headers, "Authorization");
      if (value == null) {
        return null;
      }
      int space = value.indexOf(' ');
      if (space < 0 || !value.substring(0, space).toLowerCase(Locale.ROOT).equals("basic")) {
        throw new NotAuthenticatedException("Basic authentication is required.");
      }
      try {
        byte[] decoded = Base64.getDecoder().decode(value.substring(space).strip());
        String text =
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(decoded)).toString();
        int colon = text.indexOf(':');
        if (colon > 0) {
          return text.substring(0, colon);
        }
      } catch (IllegalArgumentException | CharacterCodingException e) {
        // Not Base64, or not UTF-8, where a lenient decoder would make all wrong bytes alike: two
        // users would have one account.
      }
      throw new NotAuthenticatedException("The Basic credentials are not well-formed.");
    }

    @Override
    public String challenge() {
      return "Basic realm=\"retrysafe\"";
    }

    @Override
    public String toString() {
      return "basic user: the upstream must check the password, and retries carry the same";
    }
  }

  record None() implements AccountResolver {
    @Override
    public @Nullable String account(List<Header> headers) {
      return null;
    }

    @Override
    public String toString() {
      return "none: all callers share one account";
    }
  }

  private static ServerSecret known(@Nullable ServerSecret secret) {
    if (secret == null) {
      throw new IllegalStateException("a resolver was asked before it was given the secret");
    }
    return secret;
  }

  /**
   * Returns the value of a header that may occur once: an upstream could read two lines as another
   * caller.
   */
  static @Nullable String only(List<Header> headers, String name)
      throws AccountResolver.NotAuthenticatedException {
    String found = null;
    for (Header header : headers) {
      if (header.is(name)) {
        if (found != null) {
          throw new AccountResolver.NotAuthenticatedException(
              "The header " + name + " may occur only once.");
        }
        found = header.value();
      }
    }
    return found == null || found.isBlank() ? null : found;
  }
}
