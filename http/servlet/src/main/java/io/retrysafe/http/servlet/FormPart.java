// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.body.RequestBody;
import jakarta.servlet.http.Part;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A part of a multipart form. */
final class FormPart implements Part {
  private final RequestBody body;
  private final long from;
  private final long size;
  private final Map<String, List<String>> headers;

  FormPart(RequestBody body, long from, long size, Map<String, List<String>> headers) {
    this.body = body;
    this.from = from;
    this.size = size;
    this.headers = headers;
  }

  @Override
  public InputStream getInputStream() throws IOException {
    try (InputStream in = body.open()) {
      in.skipNBytes(from);
      return new ByteArrayInputStream(in.readNBytes((int) size));
    }
  }

  @Override
  public @Nullable String getContentType() {
    return getHeader("Content-Type");
  }

  @Override
  public String getName() {
    String name = parameter("name");
    return name == null ? "" : name;
  }

  @Override
  public @Nullable String getSubmittedFileName() {
    return parameter("filename");
  }

  private @Nullable String parameter(String name) {
    String disposition = String.valueOf(getHeader("Content-Disposition"));
    Matcher matcher =
        Pattern.compile(
                ";\\s*" + name + "=(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\\s;\"]+))",
                Pattern.CASE_INSENSITIVE)
            .matcher(disposition);
    if (!matcher.find()) {
      return null;
    }
    String quoted = matcher.group(1);
    return quoted == null ? matcher.group(2) : quoted.replaceAll("\\\\(.)", "$1");
  }

  @Override
  public long getSize() {
    return size;
  }

  @Override
  public void write(String fileName) throws IOException {
    Files.copy(getInputStream(), Path.of(fileName), StandardCopyOption.REPLACE_EXISTING);
  }

  /** Does nothing: the part goes when the request's body does. */
  @Override
  public void delete() {}

  @Override
  public @Nullable String getHeader(String name) {
    List<String> lines = headers.get(name.toLowerCase(Locale.ROOT));
    return lines == null ? null : lines.get(0);
  }

  @Override
  public Collection<String> getHeaders(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
  }

  @Override
  public Collection<String> getHeaderNames() {
    return headers.keySet();
  }
}
