// SPDX-License-Identifier: Apache-2.0
package io.retrysafe.gateway;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A client on raw sockets that speaks one protocol to one port and sends whatever it is told.
 *
 * @param tls the certificate of the server; null without TLS
 * @param from the address of this machine to connect from
 */
record HostileClient(
    Protocol protocol, int port, @Nullable Certificate tls, @Nullable String from) {
  HostileClient(Protocol protocol, int port, @Nullable Certificate tls) {
    this(protocol, port, tls, null);
  }

  /** Returns a client at another address of this machine, such as 127.0.0.2. */
  HostileClient from(String address) {
    return new HostileClient(protocol, port, tls, address);
  }

  /** What a client speaks. */
  enum Protocol {
    HTTP_1,
    HTTP_1_TLS,
    H2C,
    H2;

    boolean isHttp2() {
      return this == H2C || this == H2;
    }

    boolean isTls() {
      return this == HTTP_1_TLS || this == H2;
    }

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static HostileClient h2c(Gateway gateway) {
    return new HostileClient(Protocol.H2C, gateway.address().getPort(), null);
  }

  /** Connects, and shakes hands where there is TLS. */
  Socket connect() throws IOException {
    if (tls == null || !protocol.isTls()) {
      return open();
    }
    SSLSocket socket =
        (SSLSocket) tls.trusting().getSocketFactory().createSocket(open(), "localhost", port, true);
    socket.setSoTimeout(60_000);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol.isHttp2() ? "h2" : "http/1.1"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private Socket open() throws IOException {
    InetAddress local = from == null ? null : InetAddress.getByName(from);
    return new Socket(InetAddress.getLoopbackAddress(), port, local, 0);
  }

  Wire http1() throws IOException {
    return new Wire(connect());
  }

  Http2Wire http2() throws IOException {
    return new Http2Wire(connect());
  }

  /** Sends a whole request on a connection of its own; headers are names and values in turn. */
  Wire.Reply call(String method, String path, byte[] body, String... headers) throws IOException {
    if (protocol.isHttp2()) {
      try (Http2Wire wire = http2()) {
        begin(wire, method, path, body.length == 0, headers);
        if (body.length > 0) {
          wire.data(1, true, body);
        }
        return wire.read(1);
      } catch (java.net.SocketException e) {
        return new Wire.Reply(0, List.of(e.toString()), new byte[0]);
      }
    }
    try (Wire wire = http1()) {
      List<String> all = new ArrayList<>(List.of(headers));
      if (!all.contains("content-length")) {
        all.addAll(List.of("content-length", String.valueOf(body.length)));
      }
      return wire.send(head(method, path, all.toArray(new String[0]))).send(body).read();
    } catch (java.net.SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      return new Wire.Reply(0, List.of(e.toString()), new byte[0]);
    }
  }

  Wire.Reply call(String method, String path, String... headers) throws IOException {
    return call(method, path, new byte[0], headers);
  }

  /** Returns the head of a request of HTTP/1.1. */
  static String head(String method, String path, String... headers) {
    StringBuilder head =
        new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n");
    for (int i = 0; i < headers.length; i += 2) {
      head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
    }
    return head.append("\r\n").toString();
  }

  /** Sends the head of a request on stream 1. */
  void begin(Http2Wire wire, String method, String path, boolean isWhole, String... headers)
      throws IOException {
    begin(wire, 1, method, path, isWhole, headers);
  }

  void begin(
      Http2Wire wire, int stream, String method, String path, boolean isWhole, String... headers)
      throws IOException {
    List<String> fields =
        new ArrayList<>(
            List.of(
                ":method",
                method,
                ":scheme",
                protocol.isTls() ? "https" : "http",
                ":authority",
                "localhost",
                ":path",
                path));
    fields.addAll(List.of(headers));
    wire.headers(stream, isWhole, fields.toArray(new String[0]));
  }

  /** Returns headers and more of them. */
  static String[] with(String[] fields, String... more) {
    return Stream.concat(Stream.of(fields), Stream.of(more)).toArray(String[]::new);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
