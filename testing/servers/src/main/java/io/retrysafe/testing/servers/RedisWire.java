// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.testing.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** As much of the Redis protocol as starting and steering servers needs. */
final class RedisWire {
  private static final int TIMEOUT_MILLIS = 5000;

  private RedisWire() {}

  /** Sends a command on a connection of its own; an error is an exception. */
  static String tell(int port, String... command) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(utf8("*" + command.length + "\r\n"));
    for (String word : command) {
      byte[] bytes = utf8(word);
      out.writeBytes(utf8("$" + bytes.length + "\r\n"));
      out.writeBytes(bytes);
      out.writeBytes(utf8("\r\n"));
    }
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(TIMEOUT_MILLIS);
      socket.getOutputStream().write(out.toByteArray());
      return read(new BufferedInputStream(socket.getInputStream()));
    }
  }

  private static String read(InputStream in) throws IOException {
    String line = line(in);
    String rest = line.substring(1);
    switch (line.charAt(0)) {
      case '+', ':' -> {
        return rest;
      }
      case '-' -> throw new IOException(rest);
      case '$' -> {
        int length = Integer.parseInt(rest);
        if (length < 0) {
          return "";
        }
        String text = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        in.skipNBytes(2);
        return text;
      }
      case '*' -> {
        List<String> parts = new ArrayList<>();
        for (int i = Integer.parseInt(rest); i > 0; i--) {
          parts.add(read(in));
        }
        return String.join("\n", parts);
      }
      default -> throw new IOException("not an answer of Redis: " + line);
    }
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("the connection was closed");
      }
      line.write(c);
    }
    in.skipNBytes(1);
    return line.toString(StandardCharsets.UTF_8);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
