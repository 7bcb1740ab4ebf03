// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.wire;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rules for requests beyond those of the parser, so that no upstream can interpret a request
 * differently.
 */
public final class RequestRules {
  private static final Set<String> OF_CONNECTIONS =
      Set.of("connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade");

  private RequestRules() {}

  /**
   * Returns the refusal of a request; null if the request is valid.
   *
   * @param own normalised names of fields that carry keys and accounts
   */
  public static @Nullable Refusal refusal(HttpServerRequest in, Set<String> own) {
    if (in.version() == HttpVersion.HTTP_1_0) {
      return new Refusal(505, "HTTP/1.1 or HTTP/2 is required.");
    }
    if (in.method().equals(HttpMethod.CONNECT)) {
      return new Refusal(501, "This gateway is not a forward proxy.");
    }
    String wrong = in.version() == HttpVersion.HTTP_2 ? wrongInHttp2(in) : wrongInHttp1(in, own);
    if (wrong == null) {
      wrong = length(in);
    }
    if (wrong == null && in.authority() == null) {
      wrong = "The host is not well-formed.";
    }
    if (wrong == null) {
      wrong = target(in);
    }
    return wrong == null ? null : new Refusal(400, wrong);
  }

  private static @Nullable String wrongInHttp1(HttpServerRequest in, Set<String> own) {
    List<String> hosts = in.headers().getAll("Host");
    if (hosts.size() != 1) {
      return "A request must have one Host header.";
    }
    String coding = in.headers().get("Transfer-Encoding");
    if (coding != null) {
      boolean isChunked =
          coding.equalsIgnoreCase("chunked")
              && in.headers().getAll("Transfer-Encoding").size() == 1;
      if (!isChunked || in.headers().contains("Content-Length")) {
        return "The only transfer coding is chunked, without Content-Length.";
      }
    }
    for (String line : in.headers().getAll("Connection")) {
      for (String option : line.split(",", -1)) {
        String name = FieldNames.normalised(option.strip());
        if (own.contains(name) || FieldNames.isEndToEnd(name)) {
          return "Connection names " + name + ", which is not a field of a connection.";
        }
      }
    }
    return null;
  }

  /** Checks for what HTTP/2 allows and HTTP/1.1, which upstreams get, does not. */
  private static @Nullable String wrongInHttp2(HttpServerRequest in) {
    if (!HeaderSyntax.isName(in.method().name())) {
      return "The method is not well-formed.";
    }
    if (!"http".equals(in.scheme()) && !"https".equals(in.scheme())) {
      return "The scheme must be http or https.";
    }
    int hosts = 0;
    for (Map.Entry<String, String> header : in.headers()) {
      String name = header.getKey();
      if (!HeaderSyntax.isName(name) || !HeaderSyntax.isValue(header.getValue())) {
        return "A header is not well-formed.";
      }
      if (name.equalsIgnoreCase("host")) {
        hosts++;
        if (!header.getValue().equalsIgnoreCase(host(in))) {
          return "The authority and Host differ.";
        }
      }
      if (OF_CONNECTIONS.contains(name.toLowerCase(Locale.ROOT))) {
        return "HTTP/2 has no header " + name + ".";
      }
      if (name.equalsIgnoreCase("te") && !header.getValue().equalsIgnoreCase("trailers")) {
        return "In HTTP/2, TE must be trailers.";
      }
    }
    return hosts > 1 ? "A request must have one Host header." : null;
  }

  private static @Nullable String length(HttpServerRequest in) {
    if (!in.headers().contains("Content-Length")) {
      return null;
    }
    List<String> lengths = in.headers().getAll("Content-Length");
    String length = lengths.get(0);
    boolean isNumber = length.length() <= 18 && length.chars().allMatch(c -> c >= '0' && c <= '9');
    return lengths.size() != 1 || length.isEmpty() || !isNumber
        ? "Content-Length must be one number."
        : null;
  }

  private static @Nullable String target(HttpServerRequest in) {
    String uri = in.uri();
    for (int i = 0; i < uri.length(); i++) {
      char c = uri.charAt(i);
      if (c <= ' ' || c >= 0x7f || c == '#' || c == '\\') {
        return "The request target has characters that are not allowed.";
      }
    }
    if (uri.startsWith("/") || (uri.equals("*") && in.method().equals(HttpMethod.OPTIONS))) {
      return null;
    }
    String authority = authority(uri);
    return authority != null && authority.equalsIgnoreCase(host(in))
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

  /** Returns the host that the client asked for; empty text if it named none. */
  public static String host(HttpServerRequest in) {
    return in.authority() == null ? "" : in.authority().toString();
  }

  /** Returns the request target as the upstream gets it: path and query as they were sent. */
  public static String origin(HttpServerRequest in) {
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
  public static String path(String origin) {
    int question = origin.indexOf('?');
    return question < 0 ? origin : origin.substring(0, question);
  }

  /** Returns the query as it was sent; null if there is none. */
  public static @Nullable String query(String origin) {
    int question = origin.indexOf('?');
    return question < 0 ? null : origin.substring(question + 1);
  }
}
