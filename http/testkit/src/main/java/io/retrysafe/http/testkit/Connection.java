// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.http.Header;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of a connection, plain HTTP/1.1: one request after another. It asks for a body
 * with 100 (Continue) only when somebody reads it.
 */
final class Connection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private @Nullable InputStream body;

  /** Status line and headers of a request. */
  record Head(String method, String target, List<Header> headers) {
    Optional<String> header(String name) {
      return headers.stream().filter(h -> h.is(name)).map(Header::value).findFirst();
    }
  }

  Connection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
  }

  /** Reads the next request's head; nothing at the end of the connection. */
  Optional<Head> next() throws IOException {
    if (body != null && body.read() >= 0) {
      return Optional.empty();
    }
    String line = line();
    if (line == null) {
      return Optional.empty();
    }
    String[] words = line.split(" ", 3);
    List<Header> headers = new ArrayList<>();
    for (String field = line(); field != null && !field.isEmpty(); field = line()) {
      int colon = field.indexOf(':');
      headers.add(new Header(field.substring(0, colon), field.substring(colon + 1).strip()));
    }
    Head head = new Head(words[0], words[1], headers);
    body = new Body(head);
    return Optional.of(head);
  }

  /** Returns the body of the request whose head was read last. */
  InputStream body() {
    return body == null ? InputStream.nullInputStream() : body;
  }

  /** Writes a whole response. */
  void write(int status, List<Header> headers, byte[] bytes) throws IOException {
    StringBuilder head = head(status, headers);
    if (status != 204 && status != 304) {
      head.append("Content-Length: ").append(bytes.length).append("\r\n");
    }
    out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    out.write(bytes);
    out.flush();
  }

  /** Begins a response that is written as it comes; closing it ends it. */
  OutputStream stream(int status, List<Header> headers) throws IOException {
    StringBuilder head = head(status, headers).append("Transfer-Encoding: chunked\r\n\r\n");
    out.write(head.toString().getBytes(StandardCharsets.ISO_8859_1));
    out.flush();
    return new Chunks();
  }

  private static StringBuilder head(int status, List<Header> headers) {
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " \r\n");
    headers.forEach(h -> head.append(h.name()).append(": ").append(h.value()).append("\r\n"));
    return head;
  }

  private @Nullable String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        return null;
      }
      if (c != '\r') {
        line.write(c);
      }
    }
    return line.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private final class Chunks extends OutputStream {
    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
      if (count > 0) {
        out.write((Integer.toHexString(count) + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
        out.write(bytes, offset, count);
        out.write("\r\n".getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
      }
    }

    @Override
    public void close() throws IOException {
      out.write("0\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }
  }

  private final class Body extends InputStream {
    private final boolean isChunked;
    private boolean isExpected;
    private long left;

    Body(Head head) {
      this.isChunked = head.header("Transfer-Encoding").isPresent();
      this.left = isChunked ? 0 : Long.parseLong(head.header("Content-Length").orElse("0"));
      this.isExpected = head.header("Expect").isPresent();
    }

    @Override
    public int read() throws IOException {
      if (isExpected) {
        isExpected = false;
        out.write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
      }
      if (left == 0 && isChunked) {
        left = chunk();
      }
      if (left <= 0) {
        return -1;
      }
      int c = in.read();
      if (c < 0) {
        throw new EOFException("the client went away in the middle of its body");
      }
      if (--left == 0 && isChunked) {
        line();
      }
      return c;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
      int got = 0;
      // Not more than has come: whoever reads wants to know of a slow body.
      while (got < count && (got == 0 || in.available() > 0)) {
        int c = read();
        if (c < 0) {
          return got == 0 && count > 0 ? -1 : got;
        }
        bytes[offset + got++] = (byte) c;
      }
      return got;
    }

    /** Returns the size of the next chunk; -1 after the last one, for good. */
    private long chunk() throws IOException {
      String size = line();
      if (size == null) {
        throw new EOFException("the client went away between chunks");
      }
      long count = Long.parseLong(size, 16);
      if (count == 0) {
        line();
        return -1;
      }
      return count;
    }
  }
}
