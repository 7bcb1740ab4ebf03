// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.bench;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One connection that sends payments, with as little of its own as possible. */
final class HttpCaller implements Closeable {
  private static final String BODY = "{\"cents\":2500,\"currency\":\"EUR\"}";

  private final Socket socket;
  private final InputStream in;
  private final String head;

  HttpCaller(int port, String path) throws IOException {
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    this.in = new BufferedInputStream(socket.getInputStream());
    this.head =
        "POST "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
            + BODY.length()
            + "\r\nIdempotency-Key: ";
  }

  /** Sends a payment and returns the length of its answer, which has to be 201. */
  Object pay(String key) throws IOException {
    String request = head + key + "\r\n\r\n" + BODY;
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    String status = line();
    int length = 0;
    for (String line = line(); !line.isEmpty(); line = line()) {
      if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
        length = Integer.parseInt(line.substring("content-length:".length()).strip());
      }
    }
    byte[] body = in.readNBytes(length);
    if (!status.startsWith("HTTP/1.1 201")) {
      throw new IOException(status + ": " + new String(body, StandardCharsets.UTF_8));
    }
    return length;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
