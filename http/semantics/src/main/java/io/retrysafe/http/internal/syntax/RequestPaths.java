// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.syntax;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * Paths in the one form in which routes match and scopes compare them: without dot segments and
 * path parameters, and with only those characters percent-encoded that must be. Another spelling of
 * a path is therefore neither another scope nor a way around a route.
 */
public final class RequestPaths {
  private static final String PLAIN = "-._~!$&'()*+,=:@";

  private RequestPaths() {}

  public static String normalised(String path) {
    if (isNormalised(path)) {
      return path;
    }
    Deque<String> segments = new ArrayDeque<>();
    List<String> parts = List.of(path.split("/", -1));
    for (int i = path.startsWith("/") ? 1 : 0; i < parts.size(); i++) {
      String segment = segment(parts.get(i));
      boolean isLast = i == parts.size() - 1;
      if (segment.equals("..")) {
        segments.pollLast();
      } else if (!segment.equals(".")) {
        segments.addLast(segment);
      }
      if (isLast && (segment.equals(".") || segment.equals(".."))) {
        segments.addLast("");
      }
    }
    return "/" + String.join("/", segments);
  }

  /** Almost every path is, and is not worth taking apart. */
  private static boolean isNormalised(String path) {
    boolean isSegmentStart = false;
    for (int i = 0; i < path.length(); i++) {
      char c = path.charAt(i);
      if ((c != '/' && !isPlain(c)) || (c == '.' && isSegmentStart)) {
        return false;
      }
      isSegmentStart = c == '/';
    }
    return path.startsWith("/");
  }

  private static String segment(String raw) {
    int semicolon = raw.indexOf(';');
    byte[] bytes =
        (semicolon < 0 ? raw : raw.substring(0, semicolon)).getBytes(StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder(bytes.length);
    for (int i = 0; i < bytes.length; i++) {
      int c = bytes[i] & 0xff;
      if (c == '%' && i + 2 < bytes.length && hex(bytes[i + 1]) >= 0 && hex(bytes[i + 2]) >= 0) {
        c = hex(bytes[i + 1]) * 16 + hex(bytes[i + 2]);
        i += 2;
      }
      if (isPlain(c)) {
        out.append((char) c);
      } else {
        out.append('%').append("%02x".formatted(c).toUpperCase(Locale.ROOT));
      }
    }
    return out.toString();
  }

  private static int hex(byte b) {
    return Character.digit(b, 16);
  }

  private static boolean isPlain(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || PLAIN.indexOf(c) >= 0;
  }
}
