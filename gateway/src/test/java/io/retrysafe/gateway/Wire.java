// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A connection on which bytes are written as they are, and answers are read one after another. */
final class Wire implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket;
  private final InputStream in;

  Wire(int port) throws IOException {
    this(port, InetAddress.getLoopbackAddress());
  }

  /** Connects from another address of this machine, such as 127.0.0.2. */
  Wire(int port, InetAddress from) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port, from, 0));
  }

  Wire(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    this.in = socket.getInputStream();
  }

  /** An answer. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Reply(int status, List<String> headers, byte[] body) {
    private static final Pattern TYPE =
        Pattern.compile("\"type\":\"urn:retrysafe:problem:([^\"]*)\"");

    Optional<String> header(String name) {
      return headers.stream()
          .filter(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1))
          .map(line -> line.substring(name.length() + 1).strip())
          .findFirst();
    }

    boolean isReplayed() {
      return header("Idempotent-Replayed").isPresent();
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    /** Returns the word of the problem; empty where there is none. */
    String problem() {
      Matcher type = TYPE.matcher(text());
      return type.find() ? type.group(1) : "";
    }

    @Override
    public String toString() {
      return status + " " + headers + " " + text();
    }
  }

  /** Sends a request on a connection of its own. */
  static Reply call(int port, String request) throws IOException {
    try (Wire wire = new Wire(port)) {
      return wire.send(request).read();
    }
  }

  /** Returns a POST with a key and more header lines, each ended by CRLF. */
  static String post(String path, String key, String more, String body) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: test\r\nIdempotency-Key: "
        + key
        + "\r\n"
        + more
        + "Content-Length: "
        + body.getBytes(StandardCharsets.UTF_8).length
        + "\r\n\r\n"
        + body;
  }

  static String post(String path, String key) {
    return post(path, key, "", "{\"amount\":1}");
  }

  static String get(String path, String more) {
    return "GET " + path + " HTTP/1.1\r\nHost: test\r\n" + more + "\r\n";
  }

  Wire send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  Wire send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  Reply read() throws IOException {
    String first = line();
    int status = Integer.parseInt(first.split(" ", -1)[1]);
    List<String> headers = new ArrayList<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      headers.add(line);
    }
    Reply head = new Reply(status, headers, new byte[0]);
    if (status == 204 || status == 304 || status == 100) {
      return head;
    }
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    if (head.header("Transfer-Encoding").isPresent()) {
      for (int size = size(); size > 0; size = size()) {
        body.write(exactly(size));
        line();
      }
      line();
    } else {
      body.write(exactly(Integer.parseInt(head.header("Content-Length").orElseThrow())));
    }
    return new Reply(status, headers, body.toByteArray());
  }

  private int size() throws IOException {
    return Integer.parseInt(line(), 16);
  }

  private byte[] exactly(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new IOException("cut off after " + bytes.length + " of " + count + " bytes");
    }
    return bytes;
  }

  String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("closed after \"" + line + "\"");
      }
      if (c != '\r') {
        line.write(c);
      }
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** Returns whether the other side closes, having sent nothing more. */
  boolean isClosed() {
    try {
      return in.read() < 0;
    } catch (IOException e) {
      return !(e instanceof java.net.SocketTimeoutException);
    }
  }

  void timeout(int millis) throws IOException {
    socket.setSoTimeout(millis);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
