// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.Header;
import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Status, headers and content type of an answer that is held back. */
abstract class HeldHead extends HttpServletResponseWrapper {
  final HeldHeaders headers = new HeldHeaders();
  int status = SC_OK;
  @Nullable String contentType;
  @Nullable String encoding;
  long length = -1;

  HeldHead(HttpServletResponse response) {
    super(response);
  }

  /** Returns whether it has begun to leave. */
  abstract boolean isLeaving();

  /** Returns whether the encoding is in use. */
  abstract boolean hasWriter();

  final HttpServletResponse container() {
    return (HttpServletResponse) getResponse();
  }

  final List<Header> lines() {
    List<Header> lines = new ArrayList<>(headers.lines());
    String type = getContentType();
    if (type != null) {
      lines.add(new Header("Content-Type", type));
    }
    return lines;
  }

  /** Gives the handler's status and headers to the container. */
  final void begin(List<Header> sent) {
    container().setStatus(status);
    String type = getContentType();
    if (type != null) {
      container().setContentType(type);
    }
    List<Header> others = new ArrayList<>(sent);
    others.removeIf(line -> line.is("Content-Type") || line.is("Content-Length"));
    headers.applyTo(container(), others);
  }

  final void clearHead() {
    headers.clear();
    contentType = null;
    encoding = null;
    length = -1;
  }

  @Override
  public void setStatus(int status) {
    if (!isCommitted()) {
      this.status = status;
    }
  }

  @Override
  public int getStatus() {
    return status;
  }

  @Override
  public void setHeader(String name, @Nullable String value) {
    if (isCommitted()) {
      return;
    }
    if (value == null) {
      headers.remove(name);
    } else if (!isSpecial(name, value)) {
      headers.set(name, value);
    }
  }

  @Override
  public void addHeader(String name, String value) {
    if (!isCommitted() && !isSpecial(name, value)) {
      headers.add(name, value);
    }
  }

  private boolean isSpecial(String name, String value) {
    if (name.equalsIgnoreCase("Content-Type")) {
      setContentType(value);
      return true;
    }
    if (name.equalsIgnoreCase("Content-Length")) {
      length = Long.parseLong(value.strip());
      return true;
    }
    return false;
  }

  @Override
  public void setIntHeader(String name, int value) {
    setHeader(name, String.valueOf(value));
  }

  @Override
  public void addIntHeader(String name, int value) {
    addHeader(name, String.valueOf(value));
  }

  @Override
  public void setDateHeader(String name, long date) {
    setHeader(name, date(date));
  }

  @Override
  public void addDateHeader(String name, long date) {
    addHeader(name, date(date));
  }

  private static String date(long millis) {
    return DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
        .withZone(ZoneOffset.UTC)
        .format(Instant.ofEpochMilli(millis));
  }

  @Override
  public void addCookie(Cookie cookie) {
    if (!isCommitted()) {
      headers.add(cookie);
    }
  }

  @Override
  public boolean containsHeader(String name) {
    return getHeader(name) != null;
  }

  @Override
  public @Nullable String getHeader(String name) {
    return getHeaders(name).stream().findFirst().orElse(null);
  }

  @Override
  public Collection<String> getHeaders(String name) {
    String type = getContentType();
    if (name.equalsIgnoreCase("Content-Type")) {
      return type == null ? List.of() : List.of(type);
    }
    List<String> all = new ArrayList<>();
    if (!headers.isReplaced(name) && !isLeaving()) {
      all.addAll(super.getHeaders(name));
    }
    all.addAll(headers.all(name));
    return all;
  }

  @Override
  public Collection<String> getHeaderNames() {
    Set<String> names = new LinkedHashSet<>(super.getHeaderNames());
    lines().forEach(line -> names.add(line.name()));
    return names;
  }

  @Override
  public void setContentType(@Nullable String type) {
    if (isCommitted()) {
      return;
    }
    contentType = type;
    String charset = type == null ? null : charset(type);
    if (charset != null && !hasWriter()) {
      encoding = charset;
    }
  }

  private static @Nullable String charset(String type) {
    int at = type.toLowerCase(Locale.ROOT).indexOf("charset=");
    if (at < 0) {
      return null;
    }
    return type.substring(at + "charset=".length()).split(";", 2)[0].strip().replace("\"", "");
  }

  @Override
  public @Nullable String getContentType() {
    String type = contentType;
    boolean isOpen = type != null && encoding != null && charset(type) == null;
    return isOpen ? type + ";charset=" + encoding : type;
  }

  @Override
  public void setCharacterEncoding(@Nullable String encoding) {
    if (!hasWriter() && !isCommitted()) {
      this.encoding = encoding;
      String type = contentType;
      String named = type == null ? null : charset(type);
      if (type != null && named != null) {
        contentType = type.substring(0, type.indexOf(';'));
      }
    }
  }

  @Override
  public String getCharacterEncoding() {
    if (encoding != null) {
      return encoding;
    }
    boolean isJson = contentType != null && contentType.contains("json");
    return isJson ? "UTF-8" : "ISO-8859-1";
  }

  @Override
  public void setLocale(Locale locale) {
    setHeader("Content-Language", locale.toLanguageTag());
  }

  @Override
  public void setContentLength(int length) {
    this.length = length;
  }

  @Override
  public void setContentLengthLong(long length) {
    this.length = length;
  }
}
