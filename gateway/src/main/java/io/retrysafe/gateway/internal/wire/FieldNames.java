// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import java.util.Locale;
import java.util.Set;

/**
 * Names of request fields that a client could misuse. All are compared in lower case, with hyphens
 * for underscores: CGI and its successors do not distinguish {@code X-Forwarded-For} and {@code
 * X_Forwarded_For}.
 */
public final class FieldNames {
  /** Fields with which a client could make an upstream see another method or path. */
  private static final Set<String> OVERRIDES =
      Set.of(
          "proxy",
          "x-http-method",
          "x-http-method-override",
          "x-method-override",
          "x-original-method",
          "x-original-uri",
          "x-original-url",
          "x-rewrite-url");

  /** Fields that the gateway replaces, besides {@code x-forwarded-*}. */
  private static final Set<String> ORIGIN = Set.of("forwarded", "x-real-ip");

  private static final Set<String> END_TO_END =
      Set.of(
          "authorization",
          "baggage",
          "cache-control",
          "cookie",
          "date",
          "digest",
          "dpop",
          "expect",
          "from",
          "host",
          "idempotency-key",
          "idempotent-replayed",
          "max-forwards",
          "origin",
          "pragma",
          "prefer",
          "range",
          "referer",
          "retrysafe-outcome",
          "signature",
          "signature-input",
          "traceparent",
          "tracestate",
          "transfer-encoding",
          "user-agent",
          "via",
          "x-api-key",
          "x-auth-token",
          "x-correlation-id",
          "x-csrf-token",
          "x-idempotency-key",
          "x-request-id",
          "x-requested-with",
          "x-xsrf-token");

  private FieldNames() {}

  public static String normalised(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns whether a field by this normalised name never reaches an upstream. */
  public static boolean isDropped(String normalised) {
    return OVERRIDES.contains(normalised)
        || ORIGIN.contains(normalised)
        || normalised.startsWith("x-forwarded-");
  }

  /**
   * Returns whether a field by this normalised name is meant for the upstream and not for the next
   * hop. Private fields are unknown here.
   */
  public static boolean isEndToEnd(String normalised) {
    return END_TO_END.contains(normalised)
        || isDropped(normalised)
        || normalised.startsWith("content-")
        || normalised.startsWith("accept")
        || normalised.startsWith("if-")
        || normalised.startsWith("access-control-")
        || normalised.startsWith("sec-");
  }
}
