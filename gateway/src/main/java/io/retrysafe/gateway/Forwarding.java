// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.retrysafe.http.Header;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Which headers pass the gateway. Those that belong to one connection do not, nor what {@code
 * Connection} names, nor a client's word about where a request came from: that is said anew.
 */
final class Forwarding {
  private static final String CONNECTION = "Connection";

  private Forwarding() {}

  /** Adds a request's headers to those that the upstream gets. */
  static void request(HttpServerRequest in, MultiMap out) {
    List<String> named = named(in.headers());
    for (Map.Entry<String, String> header : in.headers()) {
      String name = header.getKey();
      if (!isOwnOfRequest(name) && !isNamed(named, name)) {
        out.add(name, header.getValue());
      }
    }
    origin(in, out);
  }

  private static void origin(HttpServerRequest in, MultiMap out) {
    SocketAddress remote = in.connection().remoteAddress(true);
    String address = remote == null ? null : remote.hostAddress();
    String scheme = in.isSSL() ? "https" : "http";
    String host = host(in);
    if (address != null) {
      out.add("X-Forwarded-For", address);
    }
    out.add("X-Forwarded-Proto", scheme);
    out.add("X-Forwarded-Host", host);
    String node =
        address == null ? "unknown" : address.indexOf(':') < 0 ? address : "\"[" + address + "]\"";
    out.add("Forwarded", "for=" + node + ";host=\"" + host + "\";proto=" + scheme);
    out.add("Via", "1.1 retrysafe");
  }

  /** Returns the host that the client asked for; empty where it is not one. */
  static String host(HttpServerRequest in) {
    return in.authority() == null ? "" : in.authority().toString();
  }

  /**
   * Returns an answer's headers without its length and what belongs to the upstream's connection.
   */
  static List<Header> answer(MultiMap headers) {
    List<String> named = named(headers);
    List<Header> lines = new ArrayList<>();
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey();
      if (!isHop(name) && !is(name, "Content-Length") && !isNamed(named, name)) {
        lines.add(new Header(name, header.getValue()));
      }
    }
    return lines;
  }

  /** Copies an answer's headers, its length included, as they pass. */
  static void answer(MultiMap headers, MultiMap out) {
    List<String> named = named(headers);
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey();
      if (!isHop(name) && !isNamed(named, name)) {
        out.add(name, header.getValue());
      }
    }
  }

  /** Returns the fields that Connection names; almost always none. */
  private static List<String> named(MultiMap headers) {
    if (!headers.contains(CONNECTION)) {
      return List.of();
    }
    List<String> named = new ArrayList<>();
    for (String line : headers.getAll(CONNECTION)) {
      for (String token : line.split(",", -1)) {
        String name = token.strip();
        if (!is(name, "keep-alive") && !is(name, "close")) {
          named.add(name);
        }
      }
    }
    return named;
  }

  private static boolean isNamed(List<String> named, String name) {
    for (int i = 0; i < named.size(); i++) {
      if (is(named.get(i), name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOwnOfRequest(String name) {
    return switch (name.length()) {
      case 4 -> is(name, "Host");
      case 6 -> is(name, "Expect");
      case 9 -> is(name, "Forwarded") || is(name, "X-Real-IP");
      case 14 -> is(name, "Content-Length") || is(name, "HTTP2-Settings") || isForwarded(name);
      case 17 -> is(name, "Retrysafe-Outcome") || isOther(name);
      case 19 -> is(name, "Idempotent-Replayed") || isOther(name);
      default -> isOther(name);
    };
  }

  private static boolean isOther(String name) {
    return isHop(name) || isForwarded(name);
  }

  private static boolean isForwarded(String name) {
    return name.regionMatches(true, 0, "X-Forwarded-", 0, "X-Forwarded-".length());
  }

  private static boolean isHop(String name) {
    return switch (name.length()) {
      case 2 -> is(name, "TE");
      case 7 -> is(name, "Trailer") || is(name, "Upgrade");
      case 10 -> is(name, CONNECTION) || is(name, "Keep-Alive");
      case 16 -> is(name, "Proxy-Connection");
      case 17 -> is(name, "Transfer-Encoding");
      case 18 -> is(name, "Proxy-Authenticate");
      case 19 -> is(name, "Proxy-Authorization");
      default -> false;
    };
  }

  private static boolean is(String name, String expected) {
    return name.equalsIgnoreCase(expected);
  }
}
