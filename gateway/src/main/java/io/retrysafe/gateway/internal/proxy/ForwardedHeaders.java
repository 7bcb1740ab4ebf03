// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway.internal.proxy;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import io.retrysafe.gateway.config.TrustedProxies;
import io.retrysafe.gateway.internal.upstream.HeadWriter;
import io.retrysafe.gateway.internal.wire.FieldNames;
import io.retrysafe.gateway.internal.wire.FieldRules;
import io.retrysafe.gateway.internal.wire.RequestRules;
import io.retrysafe.http.Header;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Copies headers between clients and upstreams. Hop-by-hop headers do not pass, nor the fields that
 * {@code Connection} names. Forwarding headers of a trusted proxy are kept and extended; those of
 * other peers are replaced.
 */
final class ForwardedHeaders {
  private static final String CONNECTION = "Connection";
  private static final String FOR = "X-Forwarded-For";
  private static final String PROTO = "X-Forwarded-Proto";
  private static final String HOST = "X-Forwarded-Host";
  private static final String FORWARDED = "Forwarded";

  private ForwardedHeaders() {}

  /**
   * Writes a request's headers to the upstream, except those in {@code without}. Other spellings of
   * the fields that carry keys and accounts do not pass.
   */
  static void request(
      HttpServerRequest in, HeadWriter out, List<String> without, FieldRules rules) {
    List<String> named = named(in.headers(), without);
    boolean isTrusted = rules.proxies().isPeer(in);
    for (Map.Entry<String, String> header : in.headers()) {
      String name = header.getKey();
      if (!isOwnOfRequest(name) && !isNamed(named, name) && !isMisused(name, rules.ownFields())) {
        out.add(name, header.getValue());
      } else if (isTrusted && isKept(name) && !isNamed(named, name)) {
        out.add(name, header.getValue());
      }
    }
    origin(in, out, isTrusted);
  }

  private static void origin(HttpServerRequest in, HeadWriter out, boolean isTrusted) {
    String address = TrustedProxies.peer(in);
    String scheme = in.isSSL() ? "https" : "http";
    String host = RequestRules.host(in);
    if (address != null) {
      out.add(FOR, before(in, FOR, isTrusted) + address);
    }
    if (!isTrusted || !in.headers().contains(PROTO)) {
      out.add(PROTO, scheme);
    }
    if (!isTrusted || !in.headers().contains(HOST)) {
      out.add(HOST, host);
    }
    String node =
        address == null ? "unknown" : address.indexOf(':') < 0 ? address : "\"[" + address + "]\"";
    String element = "for=" + node + ";host=\"" + host + "\";proto=" + scheme;
    out.add(FORWARDED, before(in, FORWARDED, isTrusted) + element);
    out.add("Via", "1.1 retrysafe");
  }

  /** Returns the value of a trusted proxy's list header, to which the gateway adds. */
  private static String before(HttpServerRequest in, String name, boolean isTrusted) {
    StringBuilder before = new StringBuilder();
    if (isTrusted && in.headers().contains(name)) {
      for (String line : in.headers().getAll(name)) {
        if (!line.isBlank()) {
          before.append(line.strip()).append(", ");
        }
      }
    }
    return before.toString();
  }

  /** Returns whether a trusted proxy's header passes unchanged. */
  private static boolean isKept(CharSequence name) {
    return isForwarded(name) && !is(name, FOR);
  }

  /** Returns an answer's headers without its length and the hop-by-hop headers. */
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

  /** Copies an answer's headers, including its length, without the hop-by-hop headers. */
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
      case 9 -> is(name, FORWARDED) || is(name, "X-Real-IP");
      case 14 -> is(name, "Content-Length") || is(name, "HTTP2-Settings") || isForwarded(name);
      case 17 -> is(name, "Retrysafe-Outcome") || isOther(name);
      case 19 -> is(name, "Idempotent-Replayed") || isOther(name);
      default -> isOther(name);
    };
  }

  /**
   * Returns whether a field could mislead an upstream. For almost every name the first check
   * decides.
   */
  private static boolean isMisused(String name, Set<String> own) {
    boolean isOtherSpelling = name.indexOf('_') >= 0;
    int first = name.isEmpty() ? 0 : name.charAt(0) | 0x20;
    if (!isOtherSpelling && first != 'x' && first != 'p') {
      return false;
    }
    String normalised = FieldNames.normalised(name);
    return FieldNames.isDropped(normalised)
        || (isOtherSpelling
            && (own.contains(normalised)
                || isOwnOfRequest(normalised)
                || FieldNames.isEndToEnd(normalised)));
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
