// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.operations;

import io.retrysafe.Scope;
import java.util.List;
import java.util.Optional;

/**
 * The endpoint of an operation for people: the part of its scope after the account. The scope of
 * callers without identity has one more part, which is left out.
 */
final class Endpoint {
  private static final String ANONYMOUS = "anonymous";
  private static final String SHARED = "shared";

  private Endpoint() {}

  static String of(Scope scope) {
    List<String> parts = scope.parts();
    boolean isShared =
        parts.size() > 2 && parts.get(0).equals(ANONYMOUS) && parts.get(1).equals(SHARED);
    return isShared ? String.join(" ", parts.subList(2, parts.size())) : scope.endpoint();
  }

  /** Returns whether the endpoint is a method and a path, so that answers have a status. */
  static boolean isHttp(Scope scope) {
    return of(scope).matches("[A-Z]+ /.*");
  }

  /** Returns the texts under which stores may hold operations of a route. */
  static List<String> stored(String route, Optional<String> account) {
    String shared = SHARED + " " + route;
    if (account.isEmpty()) {
      return List.of(route, shared);
    }
    return account.get().equals(ANONYMOUS) ? List.of(route, shared) : List.of(route);
  }

  /** Returns the scopes that a route of an account may have. */
  static List<Scope> scopes(String account, String route) {
    String[] parts = route.split(" ");
    Scope own = Scope.of(account, parts);
    Scope named = Scope.of(account, route);
    return account.equals(ANONYMOUS)
        ? List.of(own, named, Scope.of(ANONYMOUS, (SHARED + " " + route).split(" ")))
        : List.of(own, named);
  }
}
