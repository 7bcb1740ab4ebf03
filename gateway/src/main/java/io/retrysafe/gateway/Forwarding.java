// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import io.retrysafe.http.Header;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Which headers pass the gateway. Those that belong to one connection do not, nor what {@code
 * Connection} names, nor a client's word about where a request came from: that is said anew.
 */
final class Forwarding {
  private static final String CONNECTION = "Connection";

  private Forwarding() {}

  /** Gives the upstream a request's headers, but for those {@code without}. */
  static void request(HttpServerRequest in, HeadWriter out, List<String> without) {
    List<String> named = named(in.headers(), without);
    for (Map.Entry<String, String> header : in.headers()) {
      String name = header.getKey();
      if (!isOwnOfRequest(name) && !isNamed(named, name)) {
        out.add(name, header.getValue());
      }
    }
    origin(in, out);
  }

  private static void origin(HttpServerRequest in, HeadWriter out) {
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
  static List<Header> answer(HttpHeaders headers) {
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
  static void answer(HttpHeaders headers, MultiMap out) {
    List<String> named = named(headers);
    Iterator<Map.Entry<CharSequence, CharSequence>> all = headers.iteratorCharSequence();
    while (all.hasNext()) {
      Map.Entry<CharSequence, CharSequence> header = all.next();
      CharSequence name = header.getKey();
      if (!isHop(name) && !isNamed(named, name)) {
        out.add(name, header.getValue());
      }
    }
  }

  private static List<String> named(HttpHeaders headers) {
    return headers.contains(CONNECTION) ? named(headers.getAll(CONNECTION), List.of()) : List.of();
  }

  private static List<String> named(MultiMap headers, List<String> others) {
    return headers.contains(CONNECTION) ? named(headers.getAll(CONNECTION), others) : others;
  }

  /** Returns the fields that Connection names, almost always none, and {@code others}. */
  private static List<String> named(List<String> lines, List<String> others) {
    List<String> named = new ArrayList<>(others);
    for (String line : lines) {
      for (String token : line.split(",", -1)) {
        String name = token.strip();
        if (!is(name, "keep-alive") && !is(name, "close")) {
          named.add(name);
        }
      }
    }
    return named;
  }

  private static boolean isNamed(List<String> named, CharSequence name) {
    for (int i = 0; i < named.size(); i++) {
      if (is(name, named.get(i))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOwnOfRequest(CharSequence name) {
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

  private static boolean isOther(CharSequence name) {
    return isHop(name) || isForwarded(name);
  }

  private static boolean isForwarded(CharSequence name) {
    return AsciiString.regionMatches(name, true, 0, "X-Forwarded-", 0, "X-Forwarded-".length());
  }

  private static boolean isHop(CharSequence name) {
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

  private static boolean is(CharSequence name, String expected) {
    return AsciiString.contentEqualsIgnoreCase(name, expected);
  }
}
