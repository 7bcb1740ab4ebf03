// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.Header;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The headers that a handler has set, held back with its answer. Whether it replaced what others
 * had set before, or added to it, is remembered.
 */
final class HeldHeaders {
  private final List<Header> lines = new ArrayList<>();
  private final List<Cookie> cookies = new ArrayList<>();
  private final Set<String> replaced = new HashSet<>();

  void set(String name, String value) {
    remove(name);
    lines.add(new Header(name, value));
  }

  void remove(String name) {
    replaced.add(name.toLowerCase(Locale.ROOT));
    lines.removeIf(line -> line.is(name));
  }

  void add(String name, String value) {
    lines.add(new Header(name, value));
  }

  void add(Cookie cookie) {
    cookies.add(cookie);
  }

  void clear() {
    lines.clear();
    cookies.clear();
    replaced.clear();
  }

  List<Header> lines() {
    return lines;
  }

  List<String> all(String name) {
    return lines.stream().filter(line -> line.is(name)).map(Header::value).toList();
  }

  boolean isReplaced(String name) {
    return replaced.contains(name.toLowerCase(Locale.ROOT));
  }

  /** Sets {@code sent}, which are the handler's lines but for those that are not sent on. */
  void applyTo(HttpServletResponse response, List<Header> sent) {
    Set<String> begun = new HashSet<>();
    for (Header line : sent) {
      boolean isFirst = begun.add(line.name().toLowerCase(Locale.ROOT));
      if (isFirst && isReplaced(line.name())) {
        response.setHeader(line.name(), line.value());
      } else {
        response.addHeader(line.name(), line.value());
      }
    }
    cookies.forEach(response::addCookie);
  }
}
