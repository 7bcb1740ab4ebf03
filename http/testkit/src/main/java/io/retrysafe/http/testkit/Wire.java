// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.http.testkit;

import io.retrysafe.Bytes;
import io.retrysafe.http.Header;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A connection to an instance: bytes out, responses in. Every read is bounded in time. */
final class Wire implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 10_000;

  private final Socket socket;
  private final InputStream in;

  Wire(int port) throws IOException {
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  Wire send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  Wire send(Request request) throws IOException {
    return send(request.toBytes());
  }

  /** Reads one response to the end of its body. */
  Reply read() throws IOException {
    int continues = 0;
    Reply head = head();
    while (head.status() == 100) {
      continues++;
      head = head();
    }
    return new Reply(head.status(), head.headers(), Bytes.wrap(body(head)), continues);
  }

  /** Reads status line and headers. */
  Reply head() throws IOException {
    String[] status = line().split(" ", 3);
    List<Header> headers = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.add(new Header(line.substring(0, colon), line.substring(colon + 1).strip()));
    }
    return new Reply(Integer.parseInt(status[1]), headers, Bytes.EMPTY, 0);
  }

  /** Reads {@code count} bytes of a body as they come, the frames of chunks included. */
  String some(int count) throws IOException {
    return new String(in.readNBytes(count), StandardCharsets.ISO_8859_1);
  }

  /** Returns whether nothing comes for a while. */
  boolean isSilentFor(int millis) throws IOException {
    socket.setSoTimeout(millis);
    try {
      in.mark(1);
      int c = in.read();
      in.reset();
      return c < 0;
    } catch (SocketTimeoutException e) {
      return true;
    } finally {
      socket.setSoTimeout(TIMEOUT_MILLIS);
    }
  }

  private byte[] body(Reply head) throws IOException {
    if (head.status() == 204 || head.status() == 304) {
      return new byte[0];
    }
    boolean isChunked =
        head.all("Transfer-Encoding").stream().anyMatch(v -> v.equalsIgnoreCase("chunked"));
    List<String> lengths = head.all("Content-Length");
    if ((isChunked && !lengths.isEmpty()) || lengths.size() > 1) {
      throw new IOException("a response with two framings: " + head);
    }
    if (isChunked) {
      return chunks();
    }
    if (lengths.isEmpty()) {
      return in.readAllBytes();
    }
    int length = Integer.parseInt(lengths.get(0));
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("a body of " + length + " bytes ended after " + body.length);
    }
    return body;
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int size = chunkSize(); size > 0; size = chunkSize()) {
      body.write(in.readNBytes(size));
      line();
    }
    while (!line().isEmpty()) {
      // Trailers are nobody's business here.
    }
    return body.toByteArray();
  }

  private int chunkSize() throws IOException {
    return Integer.parseInt(line().split(";", 2)[0].strip(), 16);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the connection was closed after \"" + line + '"');
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
}
