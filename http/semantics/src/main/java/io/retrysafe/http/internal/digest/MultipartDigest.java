// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.internal.digest;

import io.retrysafe.Bytes;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The digest of a multipart body without its boundary: a client that builds the same form again for
 * a retry makes up another one. Each part counts with its headers and every byte, in order.
 */
public final class MultipartDigest {
  private static final Pattern BOUNDARY =
      Pattern.compile(
          ";\\s*boundary=(?:\"([^\"]{1,70})\"|([^\\s;\"]{1,70}))", Pattern.CASE_INSENSITIVE);

  private MultipartDigest() {}

  /** Returns the boundary that a content type names, if it is that of a multipart body. */
  public static Optional<String> boundary(String contentType) {
    Matcher matcher = BOUNDARY.matcher(contentType);
    if (!contentType.strip().regionMatches(true, 0, "multipart/", 0, 10) || !matcher.find()) {
      return Optional.empty();
    }
    return Optional.ofNullable(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
  }

  /** Returns the content type with its boundary taken out. */
  public static String withoutBoundary(String contentType) {
    return BOUNDARY.matcher(contentType).replaceFirst("");
  }

  /**
   * Returns the digest of a body, and closes it; empty if the body is not delimited as its content
   * type says, and then every byte should count.
   */
  public static Optional<Bytes> digest(InputStream body, String boundary) throws IOException {
    byte[] delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
    FramedDigest parts = new FramedDigest();
    try (InputStream in = new BufferedInputStream(body)) {
      // The first delimiter may stand at the very beginning, without a line break before it.
      Section section = new Section(delimiter, 2);
      boolean isClosed = false;
      int c;
      while (!isClosed && (c = in.read()) >= 0) {
        if (section.ends(c)) {
          parts.add(section.digest());
          isClosed = isLast(in, parts);
          section = new Section(delimiter, 0);
        }
      }
      if (!isClosed) {
        return Optional.empty();
      }
      parts.add(rest(in));
    }
    return Optional.of(parts.digest());
  }

  /** Returns the digest of everything that is left. */
  private static byte[] rest(InputStream in) throws IOException {
    MessageDigest digest = FramedDigest.sha256();
    byte[] buffer = new byte[8192];
    for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
      digest.update(buffer, 0, count);
    }
    return digest.digest();
  }

  /** Takes the rest of the delimiter's line and returns whether it closes the body. */
  private static boolean isLast(InputStream in, FramedDigest parts) throws IOException {
    MessageDigest line = FramedDigest.sha256();
    int size = 0;
    int last = 0;
    int c = in.read();
    while (c >= 0) {
      line.update((byte) c);
      size++;
      if ((size == 2 && last == '-' && c == '-') || (last == '\r' && c == '\n')) {
        break;
      }
      last = c;
      c = in.read();
    }
    parts.add(line.digest());
    return c < 0 || c == '-';
  }

  /** The bytes up to the next delimiter, digested as they come. */
  private static final class Section {
    private final MessageDigest digest = FramedDigest.sha256();
    private final byte[] delimiter;
    private int matched;

    Section(byte[] delimiter, int matched) {
      this.delimiter = delimiter;
      this.matched = matched;
    }

    boolean ends(int c) {
      // A delimiter begins with CR and has no other: whatever matched so far holds no other start.
      if (c != delimiter[matched]) {
        digest.update(delimiter, 0, matched);
        matched = 0;
      }
      if (c == delimiter[matched]) {
        matched++;
      } else {
        digest.update((byte) c);
      }
      return matched == delimiter.length;
    }

    byte[] digest() {
      return digest.digest();
    }
  }
}
