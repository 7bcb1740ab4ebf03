// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a request must look like beyond what its parser asks for, so that nobody behind the gateway
 * can read it in another way.
 */
final class Strictness {
  private Strictness() {}

  /** A request that is refused, and its connection closed. */
  record Refusal(int status, String detail) {}

  /** Returns why a request is refused; null if it is not. */
  static @Nullable Refusal refusal(HttpServerRequest in) {
    if (in.version() == HttpVersion.HTTP_1_0) {
      return new Refusal(505, "HTTP/1.1 or HTTP/2 is needed.");
    }
    if (in.method().equals(HttpMethod.CONNECT)) {
      return new Refusal(501, "This is no forward proxy.");
    }
    if (in.version() == HttpVersion.HTTP_1_1) {
      String framing = framing(in);
      if (framing != null) {
        return new Refusal(400, framing);
      }
    }
    if (in.authority() == null) {
      return new Refusal(400, "The host is not well-formed.");
    }
    String target = target(in);
    return target == null ? null : new Refusal(400, target);
  }

  private static @Nullable String framing(HttpServerRequest in) {
    List<String> hosts = in.headers().getAll("Host");
    if (hosts.size() != 1) {
      return "A request has one Host.";
    }
    boolean hasLength = in.headers().contains("Content-Length");
    String coding = in.headers().get("Transfer-Encoding");
    if (coding != null) {
      boolean isChunked =
          coding.equalsIgnoreCase("chunked")
              && in.headers().getAll("Transfer-Encoding").size() == 1;
      if (!isChunked || hasLength) {
        return "The only transfer coding is chunked, and without a length.";
      }
    }
    if (hasLength) {
      List<String> lengths = in.headers().getAll("Content-Length");
      String length = lengths.get(0);
      boolean isNumber =
          length.length() <= 18 && length.chars().allMatch(c -> c >= '0' && c <= '9');
      if (lengths.size() != 1 || length.isEmpty() || !isNumber) {
        return "The length of a body is one number.";
      }
    }
    return null;
  }

  private static @Nullable String target(HttpServerRequest in) {
    String uri = in.uri();
    for (int i = 0; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '#' || c == '\\') {
        return "The request target has characters that it must not have.";
      }
    }
    if (uri.startsWith("/") || (uri.equals("*") && in.method().equals(HttpMethod.OPTIONS))) {
      return null;
    }
    String authority = authority(uri);
    return authority != null && authority.equalsIgnoreCase(Forwarding.host(in))
        ? null
        : "The request target and Host differ.";
  }

  private static @Nullable String authority(String uri) {
    String lower = uri.toLowerCase(Locale.ROOT);
    int start = lower.startsWith("http://") ? 7 : lower.startsWith("https://") ? 8 : -1;
    if (start < 0) {
      return null;
    }
    int end = start;
    while (end < uri.length() && uri.charAt(end) != '/' && uri.charAt(end) != '?') {
      end++;
    }
    return uri.substring(start, end);
  }

  /** Returns the request target as the upstream gets it: path and query as they were sent. */
  static String origin(HttpServerRequest in) {
    String uri = in.uri();
    if (uri.startsWith("/") || uri.equals("*")) {
      return uri;
    }
    String authority = authority(uri);
    int start = authority == null ? 0 : uri.indexOf("://") + 3 + authority.length();
    String rest = uri.substring(start);
    return rest.startsWith("/") ? rest : "/" + rest;
  }

  /** Returns the path as it was sent, without the query. */
  static String path(String origin) {
    int question = origin.indexOf('?');
    return question < 0 ? origin : origin.substring(0, question);
  }

  /** Returns the query as it was sent; null where there is none. */
  static @Nullable String query(String origin) {
    int question = origin.indexOf('?');
    return question < 0 ? null : origin.substring(question + 1);
  }
}
