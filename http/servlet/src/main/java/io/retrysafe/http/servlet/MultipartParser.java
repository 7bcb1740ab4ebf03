// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.servlet;

import io.retrysafe.http.body.RequestBody;
import jakarta.servlet.http.Part;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a multipart form, found by their delimiters. Their contents stay where the body is,
 * in memory or in its file, until they are read.
 */
final class MultipartParser {
  private static final Pattern BOUNDARY =
      Pattern.compile(";\\s*boundary=(?:\"([^\"]+)\"|([^\\s;\"]+))", Pattern.CASE_INSENSITIVE);

  private final byte[] delimiter;
  private final InputStream in;
  private long at;

  private MultipartParser(String boundary, InputStream in) {
    this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
    this.in = in;
  }

  static List<Part> parse(RequestBody body, String contentType) throws IOException {
    Matcher boundary = BOUNDARY.matcher(contentType);
    if (!boundary.find()) {
      throw new IOException("a multipart request without a boundary");
    }
    String text = boundary.group(1) == null ? boundary.group(2) : boundary.group(1);
    try (InputStream in = new BufferedInputStream(body.open())) {
      return new MultipartParser(text, in).parse(body);
    }
  }

  private List<Part> parse(RequestBody body) throws IOException {
    List<Part> parts = new ArrayList<>();
    // The first delimiter may stand at the very beginning, without a line break before it.
    skipToDelimiter(2);
    while (!isClosed()) {
      Map<String, List<String>> headers = headers();
      long from = at;
      skipToDelimiter(0);
      parts.add(new FormPart(body, from, at - delimiter.length - from, headers));
    }
    return parts;
  }

  private int next() throws IOException {
    int c = in.read();
    if (c < 0) {
      throw new IOException("a multipart body that ends before its last delimiter");
    }
    at++;
    return c;
  }

  /** Reads up to and past the next delimiter, of which {@code matched} characters are there. */
  private void skipToDelimiter(int matched) throws IOException {
    int found = matched;
    while (found < delimiter.length) {
      int c = next();
      // A delimiter begins with CR and has no other.
      found = c == delimiter[found] ? found + 1 : c == delimiter[0] ? 1 : 0;
    }
  }

  /** Reads the rest of a delimiter's line; returns whether it was the last one. */
  private boolean isClosed() throws IOException {
    String line = line();
    return line.startsWith("--");
  }

  private Map<String, List<String>> headers() throws IOException {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      if (colon > 0) {
        headers
            .computeIfAbsent(
                line.substring(0, colon).toLowerCase(Locale.ROOT), n -> new ArrayList<>())
            .add(line.substring(colon + 1).strip());
      }
    }
    return headers;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      int c = in.read();
      if (c >= 0) {
        at++;
      }
      if (c < 0 || c == '\n') {
        return line.toString(StandardCharsets.UTF_8);
      }
      if (c != '\r') {
        line.write(c);
      }
    }
  }
}
