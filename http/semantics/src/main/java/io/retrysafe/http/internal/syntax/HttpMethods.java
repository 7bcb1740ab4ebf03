// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import java.util.Locale;
import java.util.Set;

/** The methods of HTTP: which are safe, and which names are another spelling of one of them. */
public final class HttpMethods {
  /** Methods that change nothing. Their requests pass untouched. */
  public static final Set<String> SAFE =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "QUERY", "PROPFIND", "REPORT", "SEARCH");

  private static final Set<String> UNSAFE =
      Set.of(
          "POST",
          "PUT",
          "PATCH",
          "DELETE",
          "CONNECT",
          "ACL",
          "BASELINE-CONTROL",
          "BIND",
          "CHECKIN",
          "CHECKOUT",
          "COPY",
          "LABEL",
          "LINK",
          "LOCK",
          "MERGE",
          "MKACTIVITY",
          "MKCALENDAR",
          "MKCOL",
          "MKREDIRECTREF",
          "MKWORKSPACE",
          "MOVE",
          "ORDERPATCH",
          "PRI",
          "PROPPATCH",
          "PURGE",
          "REBIND",
          "UNBIND",
          "UNCHECKOUT",
          "UNLINK",
          "UNLOCK",
          "UPDATE",
          "UPDATEREDIRECTREF",
          "VERSION-CONTROL");

  private HttpMethods() {}

  /**
   * Returns whether a name differs from that of a known method in case only. Methods are
   * case-sensitive, but a server that ignores case would run {@code post} as a POST.
   */
  public static boolean isMisspelt(String method) {
    if (isKnown(method)) {
      return false;
    }
    return isKnown(method.toUpperCase(Locale.ROOT));
  }

  /** Returns the known method that a name is a spelling of, else the name itself. */
  public static String known(String method) {
    return isMisspelt(method) ? method.toUpperCase(Locale.ROOT) : method;
  }

  private static boolean isKnown(String method) {
    return SAFE.contains(method) || UNSAFE.contains(method);
  }
}
